"""Explains why a glob does not match a path, and how far it is from matching."""

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

_OTHER_CASE, _OTHER_TEXT, _DIRECTORY = 1, 2, 3  # the cost of each kind of difference
MAX_SEGMENTS = 64


@dataclass(frozen=True, kw_only=True)
class NearMiss:
    """Why a glob does not match a path: `differences` counts them, `why` describes them.

    A smaller `distance` is a nearer miss.
    """

    path: str
    distance: int
    differences: int
    why: str


@dataclass(frozen=True, kw_only=True)
class _Alignment:
    """An alignment of the rest of a path with the rest of a glob: its cost, and its first two differences."""

    distance: int = 0
    differences: int = 0
    why: tuple[str, ...] = ()

    def after(self, cost: int, why: str) -> _Alignment:
        return _Alignment(distance=self.distance + cost, differences=self.differences + 1, why=(why, *self.why)[:2])


def near_miss(rule: ExtractionRule, path: str, *, root: str = "/") -> NearMiss:
    """Return why the glob of `rule` does not match `path`. The distance is 0 if it matches."""
    place = locate(path, root=root)
    alignments = [_alternative_alignment(one, place) for one in rule.glob.alternatives]
    best = min(alignments, key=lambda alignment: alignment.distance)
    return NearMiss(path=path, distance=best.distance, differences=best.differences, why="; ".join(best.why))


def _alternative_alignment(alternative: Alternative, place: NormalizedPath) -> _Alignment:
    text = place.absolute[1:] if alternative.absolute else place.below_root
    if text is None:
        return _Alignment(distance=100, differences=1, why=("the path does not lie below the root",))
    parts = tuple(text.split("/")) if text else ()
    if max(len(parts), len(alternative.segments)) > MAX_SEGMENTS:
        return _Alignment(distance=100, differences=1, why=("the path is too deep to be compared",))
    return _cheapest_alignment(alternative.segments, parts)


def _cheapest_alignment(segments: tuple[Segment, ...], parts: tuple[str, ...]) -> _Alignment:
    """Return the cheapest alignment of the segments of a glob with the parts of a path, computed from the end
    backwards.
    """
    known: dict[tuple[int, int], _Alignment] = {}
    for at in range(len(segments), -1, -1):
        for here in range(len(parts), -1, -1):
            known[at, here] = _best_from(segments, parts, at, here, known)
    return known[0, 0]


def _best_from(
    segments: Sequence[Segment], parts: Sequence[str], at: int, here: int, known: dict[tuple[int, int], _Alignment]
) -> _Alignment:
    if at == len(segments):
        if here == len(parts):
            return _Alignment()
        return known[at, here + 1].after(_DIRECTORY, f"{parts[here]!r} is more than the glob has a place for")
    segment = segments[at]
    alignments: list[_Alignment] = []
    if segment.tokens is None:
        alignments += _double_star_alignments(segments, parts, at, here, known)
    elif here < len(parts):
        cost, why = _differs(segment, parts[here], is_last=here == len(parts) - 1)
        following = known[at + 1, here + 1]
        alignments.append(following.after(cost, why) if cost else following)
        alignments.append(
            known[at, here + 1].after(_DIRECTORY, f"there is no place in the glob for the folder {parts[here]!r}")
        )
    if segment.tokens is not None:
        alignments.append(known[at + 1, here].after(_DIRECTORY, f"nothing in the path stands for {segment.text!r}"))
    return min(alignments, key=lambda alignment: alignment.distance)


def _double_star_alignments(
    segments: Sequence[Segment], parts: Sequence[str], at: int, here: int, known: dict[tuple[int, int], _Alignment]
) -> list[_Alignment]:
    last = at == len(segments) - 1
    alignments = [known[at, here + 1]] if here < len(parts) - (0 if not last else 1) else []
    if not last:
        return [*alignments, known[at + 1, here]]
    if here == len(parts):
        return [_Alignment().after(_DIRECTORY, "nothing in the path stands for '**' at the end")]
    return [*alignments, _Alignment()] if here == len(parts) - 1 else alignments


@lru_cache(maxsize=65_536)
def _differs(segment: Segment, part: str, *, is_last: bool) -> tuple[int, str]:
    """Return the cost of the difference between a part of a path and a segment (0 if they match), and its reason."""
    if segment_test(segment)(part):
        return 0, ""
    noun = "the file name" if is_last else "the folder"
    if segment_test(segment, any_case=True)(part):
        return _OTHER_CASE, f"{noun} {part!r} fits {segment.text!r} except for its case"
    return _OTHER_TEXT, f"{noun} {part!r} does not fit {segment.text!r}"
