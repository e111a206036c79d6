"""Groups sample paths that may be of one shape: all of them, and those that share a feature."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, TypeAlias

from retouch.recipes.rule.detecting.endings import MEDIA
from retouch.recipes.rule.detecting.typed import kinds_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SMALLEST = 0.4  # a smaller share of the samples is not the shape that is meant
MANY = 15  # of fewer samples, a minority that differs may be as good as the majority
NEARLY_ALL = 0.8
_OF_FORM = ("depth", "ending", "no ending", "separators", "punctuation", "tokens")
_OF_TEXT = ("depth", "ending", "no ending")
_WORDS = re.compile(r"[0-9]+|[A-Za-z]+")
_NO_MARKS = re.compile(r"[^][(){}+,@#&!~]+")
_PARTS = re.compile(r"(?:(?<=\.)|^)[A-Za-z]+\.")
_REPEATED = re.compile(r"(a[-_.]?|n[-_.]?)\1+")

Rows: TypeAlias = "list[list[str]]"


def groups_of(rows: Sequence[Sequence[str]], *, neighbours: bool = False, text: bool = False) -> Iterator[Rows]:
    """Yield all paths, then each group of at least a third of them that shares a feature, the largest first.

    Features are the depth, the extension, a directory, and the separators of the file name, alone and in pairs. Paths
    that are `neighbours` in a sorted list share directories and words because of that, so these count only if nearly
    all paths have them.
    """
    everything = [list(row) for row in rows]
    yield everything
    share = SMALLEST if len(everything) >= MANY else NEARLY_ALL
    least = max(share * len(everything), 3)
    alone: dict[str, set[int]] = defaultdict(set)
    for number, row in enumerate(everything):
        for one in _features(row):
            alone[one].add(number)
    if text:
        alone = {one: found for one, found in alone.items() if one.startswith(_OF_TEXT)}
    elif neighbours:
        most = NEARLY_ALL * len(everything)
        alone = {one: found for one, found in alone.items() if len(found) >= most or one.startswith(_OF_FORM)}
    common = sorted({tuple(sorted(found)) for found in alone.values() if least <= len(found) < len(everything)})
    members = {*common}
    for at, one in enumerate(common):
        members.update(tuple(sorted({*one} & {*other})) for other in common[at + 1 :])
    seen: set[tuple[int, ...]] = {tuple(range(len(everything)))}
    for found in sorted(members, key=lambda one: (-len(one), one)):
        if len(found) >= least and found not in seen:
            seen.add(found)
            yield [everything[number] for number in found]


def path_of(row: Sequence[str]) -> str:
    """Return the path of its parts."""
    return "/".join(("", *row))


def form_of(row: Sequence[str]) -> tuple[int, str]:
    """Return the depth and the extension of a path."""
    stem, dot, ending = row[-1].rpartition(".")
    return len(row), ending.lower() if dot and stem and not ending.isdigit() else ""


def _features(row: Sequence[str]) -> Iterator[str]:
    yield f"depth {len(row)}"
    stem, dot, ending = row[-1].rpartition(".")
    yield f"ending {ending.lower()}" if dot and stem else "no ending"
    yield from (f"medium {at}" for at, one in enumerate(MEDIA) if dot and ending.lower() in one)
    yield from (f"directory {at} {one}" for at, one in enumerate(row[:-1]))
    yield from (f"somewhere {one}" for one in row[:-1])
    yield f"separators {separators_of(row[-1])}"
    yield f"punctuation {_WORDS.sub('', row[-1])}"
    if marks := _NO_MARKS.sub("", stem or row[-1]):
        yield f"marks {marks}"
    yield from (f"word {one}" for one in _PARTS.findall(row[-1]))
    yield f"tokens {sorted(kinds_in(row[-1]))}"


def separators_of(name: str) -> str:
    """Return the separators of a file name with a letter for each word; repeated words count once."""
    words = _WORDS.sub(lambda found: "n" if found[0].isdigit() else "a", name.rpartition(".")[0] or name)
    return _REPEATED.sub(r"\1", words)
