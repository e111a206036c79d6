"""Cuts the extension off file names: one that all share, one of several, also of two words, as in `tar.zst`."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.columns import IMAGINED, Fixed, Slot

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from retouch.recipes.rule.detecting.columns import Piece

PACKINGS = ("gz", "bz2", "xz", "zst", "lzo", "lz4")  # of streams, which any kind of file may have
PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip")
MOST_LISTED = 6  # different extensions that a rule lists; of more, others may come
MANY = 15  # samples; fewer may lack an extension by chance
UNSEEN = 0.04  # the share of the samples whose extension no other has estimates how many have one that none shows

MOST_WORDS = 3  # before the extensions of one kind
SEVERAL = 3  # kinds of files; of two, one may only happen to be packed
SURE = 8  # files of each of two kinds, of which one is always packed
OTHER_IMAGE = {"png": "svg", "svg": "png", "jpg": "png", "jpeg": "png", "gif": "png", "webp": "jpg"}
"""Another format of images for each, which later files may have whose names are free text."""
ANY_ENDING = r"\.([^.]+)$"
"""The pattern of an extension that later files may have another one for."""

MEDIA = (
    frozenset(OTHER_IMAGE),
    frozenset({"mp3", "flac", "m4a", "ogg", "opus", "wav", "aac", "aiff", "wma"}),
    frozenset({"mkv", "mp4", "m4v", "avi", "mov", "webm", "ts", "wmv", "mpg"}),
)
"""The usual extensions of images, of music and of films."""
_SELDOM = frozenset({"svg", "aiff", "wma", "ts", "wmv", "mpg"})  # of each medium, only if a sample has it

_WORD_AT_END = re.compile(r"(.*[0-9A-Za-z])\.([A-Za-z]{2,8})", re.DOTALL)
_LETTERS_AT_END = re.compile(r".\.[A-Za-z][0-9A-Za-z]{0,9}\Z", re.DOTALL)
_WORDS_OF_ENDING = r"[A-Za-z][0-9A-Za-z]{0,7}(?:\.[A-Za-z][0-9A-Za-z]{0,7})*"
_AFTER_DIGIT = re.compile(rf"(.*[0-9])\.({_WORDS_OF_ENDING})", re.DOTALL)
_ENDING = re.compile(r"(.+)\.([A-Za-z0-9]{1,10})", re.DOTALL)
PACKED_ENDING = re.compile(r"(.+?)\.((?:[A-Za-z][A-Za-z0-9]{0,7}\.)?(?:gz|bz2|xz|zst|zip))", re.DOTALL)


def without_ending(values: tuple[str, ...]) -> tuple[tuple[str, ...], list[Piece], tuple[str, ...]]:
    """Return file names without their extensions, the pieces of the extensions, and the extensions themselves."""
    if whole := _of_several_words(values):
        return whole
    packings = {next((end for end in PACKED if value.endswith(end)), "") for value in values}
    if len(packings - {""}) > 1 or _decides(values, max(packings)):
        return _several_packings(values)
    packing = max(packings) if not _is_ending(values, max(packings)) else ""
    bodies = tuple(value.removesuffix(packing) for value in values)
    tail: list[Piece] = [_packing(values, packing, some="" in packings)] if packing else []
    found = [_ENDING.fullmatch(body) for body in bodies]
    endings = tuple(one[2] for one in found if one is not None)
    if len(endings) == len(values) and not any(ending.isdigit() for ending in endings):
        bodies = tuple(one[1] for one in found if one is not None)
        longer = _with_words_of_kinds(bodies, endings)
        if longer[0] != bodies and packings == {packing}:
            return longer[0], _pieces(whole := tuple(f"{one}{packing}" for one in longer[1])), whole
        tail = [*_pieces(endings), *tail]
    return bodies, tail, tuple(value[len(body) :].lstrip(".") for value, body in zip(values, bodies, strict=True))


def _of_several_words(values: tuple[str, ...]) -> tuple[tuple[str, ...], list[Piece], tuple[str, ...]] | None:
    """Return the same for names that all end with a digit before extensions of more or fewer words, of which some are
    packings, as `vma.zst.notes`, `tar.zst` and `log`.
    """
    found = [_AFTER_DIGIT.fullmatch(value) for value in values]
    endings = tuple(one[2] for one in found if one is not None)
    counts = {one.count(".") for one in endings}
    words = [one.split(".") for one in {*endings}]
    packed = any(not {*PACKINGS}.isdisjoint(one[1:]) for one in words)
    if len(endings) < len(values) or max(counts) < MOST_WORDS - 1 or len(counts) == 1 or not packed:
        return None
    ending = Slot(values=endings, apart=".", kind="ending", form=_WORDS_OF_ENDING)
    return tuple(one[1] for one in found if one is not None), [Fixed(text="."), ending], endings


def _packing(values: tuple[str, ...], packing: str, *, some: bool) -> Piece:
    """Return the piece of a packing: fixed text if all names have it, else an optional value."""
    if not some:
        return Fixed(text=packing)
    there = tuple(packing[1:] if value.endswith(packing) else "" for value in values)
    return Slot(values=there, kind="ending", optional=True, lead=".", glob=f"{{,{packing}}}")


def _is_ending(values: tuple[str, ...], packing: str) -> bool:
    """Return whether archives have no other extension and all other files have one, as `zip` beside `txt`."""
    if packing != ".zip":
        return False
    packed = [value.removesuffix(packing) for value in values if value.endswith(packing)]
    others = [value for value in values if not value.endswith(packing)]
    has = [_LETTERS_AT_END.search(one) is not None for one in packed]
    return bool(others) and not any(has) and all(map(_LETTERS_AT_END.search, others))


def _decides(values: tuple[str, ...], packing: str) -> bool:
    """Return whether the extension and the packing are one value: files are packed by what they are, as `tar.bz2`
    beside `exe`, or some of one kind are and others are not, as `csv.zst` and `csv` beside `json`. An archive of `tar`
    always is one with its packing.
    """
    found = [(_ENDING.fullmatch(value.removesuffix(packing)), value.endswith(packing)) for value in values]
    kinds = Counter((one[2].lower(), packed) for one, packed in found if one is not None and not one[2].isdigit())
    names = [one for one, _ in kinds]
    several = len({packed for _, packed in kinds}) > 1
    if not several or any(one is None for one, _ in found):
        return False
    different = len({*names})
    sure = different > 1 and min(kinds.values()) >= SURE
    return (
        (different == len(names) and (sure or different >= SEVERAL))
        or 1 < different < len(names)
        or (different > 1 and "tar" in names)
    )


def _several_packings(values: tuple[str, ...]) -> tuple[tuple[str, ...], list[Piece], tuple[str, ...]]:
    """Return the same for names that are packed in different ways, whose extension is one value, as in `sql.gz`."""
    found = [PACKED_ENDING.fullmatch(value) or _ENDING.fullmatch(value) for value in values]
    endings = tuple(one[2] for one in found if one is not None)
    if len(endings) < len(values):
        return values, [], ("",) * len(values)
    bodies = tuple(one[1] for one in found if one is not None)
    bodies, endings = _with_words_of_kinds(bodies, endings)
    return bodies, _pieces(endings), endings


def _with_words_of_kinds(bodies: tuple[str, ...], endings: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return bodies and extensions, with a word before an extension as part of it if all files of some kinds have one
    and no other has, as the `orig` of `vim_9.0.orig.tar.gz` beside `vim_9.0-2.deb`.
    """
    words = [_WORD_AT_END.fullmatch(body) for body in bodies]
    kinds = {end for end, word in zip(endings, words, strict=True) if word}
    alone = {end for end, word in zip(endings, words, strict=True) if not word}
    if not kinds or not alone or kinds & alone or len({word[2] for word in words if word}) > MOST_WORDS:
        return bodies, endings
    merged = [
        (word[1], f"{word[2]}.{end}") if word else (body, end)
        for body, end, word in zip(bodies, endings, words, strict=True)
    ]
    return tuple(body for body, _ in merged), tuple(end for _, end in merged)


def _pieces(endings: tuple[str, ...]) -> list[Piece]:
    if len({*endings}) == 1:
        return [Fixed(text=f".{endings[0]}")]
    return [Fixed(text="."), Slot(values=endings, apart=".", kind="ending")]


def listed(values: Sequence[str]) -> tuple[str, ...]:
    """Return the different extensions, or none if others may come: too many of them occur in one sample only."""
    counts = Counter(values)
    if any(IMAGINED in one.split(".") for one in counts):
        return ()
    media = any({*counts} <= family for family in MEDIA)
    once = 0 if media else sum(number == 1 for number in counts.values())
    if len(values) < MANY or len(counts) > MOST_LISTED or once > UNSEEN * len(values):
        return ()
    return tuple(sorted({*counts, *_packed_otherwise(counts), *_of_one_family(counts)}))


def _of_one_family(counts: Mapping[str, int]) -> Iterator[str]:
    """Yield the usual extensions of files of one medium, if the samples show so many that others likely come."""
    more = len(counts) >= SEVERAL or (len(counts) > 1 and min(counts.values()) == 1)
    yield from next((sorted(family - _SELDOM) for family in MEDIA if more and {*counts} <= family), ())


def _packed_otherwise(endings: Collection[str]) -> Iterator[str]:
    """Yield the extensions of kinds of files that are packed in several ways, with each usual packing."""
    found = [(kind, packing) for kind, dot, packing in (one.rpartition(".") for one in endings) if dot]
    packed = [(kind, packing) for kind, packing in found if packing in PACKINGS]
    if len({packing for _, packing in packed}) > 1:
        yield from (f"{kind}.{packing}" for kind, _ in packed for packing in PACKINGS)
