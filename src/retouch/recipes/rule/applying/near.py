"""Why a glob does not fit a path, and how far it is from fitting."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from retouch.recipes.rule.applying.places import locate
from retouch.recipes.rule.globs.matching import segment_test

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.rule.applying.places import NormalizedPath
    from retouch.recipes.rule.globs.parsing import Alternative, Segment
    from retouch.recipes.rule.language.model import ExtractionRule

_OTHER_CASE, _OTHER_TEXT, _FOLDER = 1, 2, 3  # how bad a difference is
MAX_SEGMENTS = 64


@dataclass(frozen=True, kw_only=True)
class NearMiss:
    """What keeps a glob from fitting a path: `differences` of them, told in `why`; less `distance` is nearer."""

    path: str
    distance: int
    differences: int
    why: str


@dataclass(frozen=True, kw_only=True)
class _Way:
    """How far the rest of a path is from the rest of a glob, and the first two differences."""

    distance: int = 0
    differences: int = 0
    why: tuple[str, ...] = ()

    def after(self, cost: int, why: str) -> _Way:
        return _Way(distance=self.distance + cost, differences=self.differences + 1, why=(why, *self.why)[:2])


def near_miss(rule: ExtractionRule, path: str, *, root: str = "/") -> NearMiss:
    """Return why the glob of `rule` does not fit `path`; the distance is 0 when it does."""
    place = locate(path, root=root)
    ways = [_of(one, place) for one in rule.glob.alternatives]
    best = min(ways, key=lambda way: way.distance)
    return NearMiss(path=path, distance=best.distance, differences=best.differences, why="; ".join(best.why))


def _of(alternative: Alternative, place: NormalizedPath) -> _Way:
    text = place.absolute[1:] if alternative.absolute else place.below_root
    if text is None:
        return _Way(distance=100, differences=1, why=("the path does not lie below the root",))
    parts = tuple(text.split("/")) if text else ()
    if max(len(parts), len(alternative.segments)) > MAX_SEGMENTS:
        return _Way(distance=100, differences=1, why=("the path is too deep to be compared",))
    return _compared(alternative.segments, parts)


def _compared(segments: tuple[Segment, ...], parts: tuple[str, ...]) -> _Way:
    """Return the best way to lay the segments of a glob beside the parts of a path, from the end backwards."""
    known: dict[tuple[int, int], _Way] = {}
    for at in range(len(segments), -1, -1):
        for here in range(len(parts), -1, -1):
            known[at, here] = _best(segments, parts, at, here, known)
    return known[0, 0]


def _best(
    segments: Sequence[Segment], parts: Sequence[str], at: int, here: int, known: dict[tuple[int, int], _Way]
) -> _Way:
    if at == len(segments):
        if here == len(parts):
            return _Way()
        return known[at, here + 1].after(_FOLDER, f"{parts[here]!r} is more than the glob has a place for")
    segment = segments[at]
    ways: list[_Way] = []
    if segment.tokens is None:
        ways += _any_folders(segments, parts, at, here, known)
    elif here < len(parts):
        cost, why = _differs(segment, parts[here], is_last=here == len(parts) - 1)
        following = known[at + 1, here + 1]
        ways.append(following.after(cost, why) if cost else following)
        ways.append(known[at, here + 1].after(_FOLDER, f"there is no place in the glob for the folder {parts[here]!r}"))
    if segment.tokens is not None:
        ways.append(known[at + 1, here].after(_FOLDER, f"nothing in the path stands for {segment.text!r}"))
    return min(ways, key=lambda way: way.distance)


def _any_folders(
    segments: Sequence[Segment], parts: Sequence[str], at: int, here: int, known: dict[tuple[int, int], _Way]
) -> list[_Way]:
    last = at == len(segments) - 1
    ways = [known[at, here + 1]] if here < len(parts) - (0 if not last else 1) else []
    if not last:
        return [*ways, known[at + 1, here]]
    if here == len(parts):
        return [_Way().after(_FOLDER, "nothing in the path stands for '**' at the end")]
    return [*ways, _Way()] if here == len(parts) - 1 else ways


@lru_cache(maxsize=65_536)
def _differs(segment: Segment, part: str, *, is_last: bool) -> tuple[int, str]:
    """Return how badly a part of a path differs from a segment, and the words for it; 0 when it fits."""
    if segment_test(segment)(part):
        return 0, ""
    what = "the file name" if is_last else "the folder"
    if segment_test(segment, any_case=True)(part):
        return _OTHER_CASE, f"{what} {part!r} fits {segment.text!r} except for its case"
    return _OTHER_TEXT, f"{what} {part!r} does not fit {segment.text!r}"
