"""Cuts the values of one part of a path into fixed text and columns.

The order is: names of releases, typed tokens (UUIDs, dates), separators that occur equally often in all values, the
first separator that occurs in all values, then runs of digits between constant letters. The rest is one column.
"""

from __future__ import annotations

import re
from functools import lru_cache, partial
from itertools import groupby
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.amounts import by_parameters, by_signed_numbers, by_unit
from retouch.recipes.rule.detecting.brackets import by_brackets
from retouch.recipes.rule.detecting.coded_ends import by_coded_ends
from retouch.recipes.rule.detecting.codes import are_countries, are_sixtieths, by_long_numbers
from retouch.recipes.rule.detecting.columns import Fixed, Piece, Slot
from retouch.recipes.rule.detecting.doubled import DOUBLED, as_written, with_doubled
from retouch.recipes.rule.detecting.empty_fields import is_sometimes_empty
from retouch.recipes.rule.detecting.few_words import by_few_words
from retouch.recipes.rule.detecting.fixed_width import by_day_within, by_numbers_around
from retouch.recipes.rule.detecting.internet_names import by_internet_names
from retouch.recipes.rule.detecting.known import known_pieces
from retouch.recipes.rule.detecting.leading import by_country, by_first_number, by_season
from retouch.recipes.rule.detecting.locales import by_locale, by_locale_within
from retouch.recipes.rule.detecting.optional_end import by_optional_dates, by_optional_end
from retouch.recipes.rule.detecting.optional_fields import by_optional_fields
from retouch.recipes.rule.detecting.optional_middle import by_optional_middle
from retouch.recipes.rule.detecting.ordinals import MANY_ORDINALS, by_ordinal, by_ordinal_apart
from retouch.recipes.rule.detecting.releases import by_release
from retouch.recipes.rule.detecting.sized_ends import by_sized_end
from retouch.recipes.rule.detecting.typed import CONSTANT, TYPED, is_likely
from retouch.recipes.rule.detecting.uneven import (
    DOMAINS,
    by_ends,
    by_letters,
    by_middle,
    by_number,
    by_tail,
    by_whole_number,
    without_some,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.rule.detecting.columns import Kind
    from retouch.recipes.rule.detecting.uneven import Cut, Way

_NUMBER = re.compile(r"(?<![0-9.])[0-9]+(?![0-9.])")
_CONSTANT_OF_FEW: tuple[tuple[Kind, re.Pattern[str]], ...] = (*CONSTANT, ("number", _NUMBER))
_FEW = 2  # from so few samples, every number that they share is taken to vary
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:")  # of s3://bucket/key
_KEY_VALUE = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*=")
_NUMBER_OF_KEY = re.compile(r"[0-9]+(?:\.[0-9]+)?(?=[-_]|\Z)")
_NEXT_KEY = re.compile(r"(?<=[^=])([-_,;&+ ][A-Za-z][A-Za-z0-9_.]*=)")
_TITLE = re.compile("[^0-9_]+")  # words with spaces between are one value
_SEPARATORS = (*DOUBLED, "_", " - ", *" =-+,@~.#[(")
_STRONG = f"{DOUBLED}_"
_SEVERAL_PARTS = 3
_WORDS = re.compile("[A-Za-z]+(?:_[A-Za-z]+)*")
_UNEVEN = f"{_STRONG}."  # also cut if not equally frequent; '-' more often joins words than separates values
_NUMBERS = re.compile(r"\.[0-9]+\.[0-9]+\Z")
_ENDING = re.compile(r".\.[0-9][a-z]{0,4}\Z")
_RELEASE_FIRST = re.compile(r"v?[0-9]+\.[0-9]")
_VERSION = re.compile(r"v?[0-9]+(?:[.:][0-9]+)+")
_POINT = re.compile(r"(?<![0-9A-Za-uw-z])[0-9]+\.[0-9]|[0-9]\.[0-9]+(?![0-9A-Za-z])")  # one side is a number
_COUNTER_LAST = re.compile(r".*(.)\.([0-9]+)", re.DOTALL)
_PADDED_VERSION = re.compile(r"v0[0-9]+\.[0-9]{2,}")  # no version has zeros before its first number
_HEXADECIMAL = re.compile(r"[0-9a-f]{8,}|[0-9A-F]{8,}")
_PREFIXED = re.compile(r"([A-Za-z]+)([0-9].*)", re.DOTALL)
_DIGITS_FIRST = re.compile(r"([0-9]+)(|[^0-9A-Za-z].*|[A-Za-z][0-9].*)", re.DOTALL)
_NUMBER_FIRST = re.compile(r"[0-9]+(?:[^0-9A-Za-z]|[A-Za-z][0-9]|\Z)")
_LETTERS_LAST = re.compile(r"([0-9]+)([A-Za-z]{2,})")
_GROUPS = re.compile("(?:[A-Za-z][1-9][0-9]*){3,}")  # as `r1i1p1f2`
_POINTED = re.compile(r"[0-9]+(?:\.[0-9]+)+")
_NUMBERS_OF_VERSION = r"[0-9]+(?:\.[0-9]+)*"  # others may have one


def cut(values: tuple[str, ...], *, apart: str = "", finely: bool = True) -> list[Piece]:
    """Return the pieces whose texts, joined in order, are the values. `apart` ends the last of them."""
    return [*_cut(values, apart, finely)]


@lru_cache(maxsize=4096)  # the same values are parts of many layouts
def _cut(values: tuple[str, ...], apart: str, finely: bool) -> tuple[Piece, ...]:
    return tuple(_pieces(values, apart, finely))


def _pieces(values: tuple[str, ...], apart: str, finely: bool) -> list[Piece]:
    if known := known_pieces(values):
        return _joined(known)
    if len(set(values)) == 1:
        return _joined(constant(values)) if values[0] else []
    if (doubled := with_doubled(values)) != values:
        return _joined([as_written(one) for one in cut(doubled, apart=apart, finely=finely)])
    if all(values):
        finely = finely and not _is_whole(values, apart, 1)
        for way in _WAYS:
            found = way(values, apart, finely)
            if found is not None:
                return _joined(found)
    elif found := without_some(values, apart, cut):
        return _joined(found)
    return [Slot(values=values, apart=apart)]


def _ends(values: tuple[str, ...], apart: str, finely: bool) -> list[Piece] | None:
    return _first_of((by_whole_number, by_number, by_ends, by_middle), values, apart) if finely else None


def _release(values: tuple[str, ...], apart: str, finely: bool) -> list[Piece] | None:
    return by_release(values, apart, partial(cut, finely=finely))


def _optional_end(values: tuple[str, ...], apart: str, finely: bool) -> list[Piece] | None:
    ways = (by_optional_dates, by_optional_fields, by_optional_end, by_optional_middle)
    return _first_of(ways, values, apart) if finely else None


def _uneven(values: tuple[str, ...], apart: str, finely: bool) -> list[Piece] | None:
    return (
        _first_of((by_coded_ends, by_sized_end, by_tail, by_few_words, by_letters), values, apart) if finely else None
    )


def _fixed_width(values: tuple[str, ...], apart: str, _finely: bool) -> list[Piece] | None:
    return _first_of((by_day_within, by_numbers_around), values, apart)


def _first_of(ways: Sequence[Way], values: tuple[str, ...], apart: str, by: Cut | None = None) -> list[Piece] | None:
    return next((found for way in ways if (found := way(values, apart, by or cut))), None)


def _by_edge(values: tuple[str, ...], apart: str, finely: bool) -> list[Piece] | None:
    """Cut off a separator that all values begin or end with."""
    first, last = values[0][0], values[0][-1]
    if not first.isalnum() and all(value[0] == first and len(value) > 1 for value in values):
        return [Fixed(text=first), *cut(tuple(value[1:] for value in values), apart=apart, finely=finely)]
    if not last.isalnum() and all(value[-1] == last and len(value) > 1 for value in values):
        return [*cut(tuple(value[:-1] for value in values), apart=last, finely=finely), Fixed(text=last)]
    if finely and not last.isalnum() and last in values and all(value[-1] == last for value in values):
        heads = tuple(value[:-1] for value in values)
        some = without_some(heads, last, cut)  # as in `-error.` beside `.`
        if some is None and is_sometimes_empty([tuple("-" for _ in values), heads], ended=True):
            some = [Slot(values=heads, apart=last, optional=True)]
        return None if some is None else [*some, Fixed(text=last)]
    return None


def _joined(pieces: list[Piece]) -> list[Piece]:
    """Return the pieces, with adjacent fixed texts merged."""
    done: list[Piece] = []
    for fixed, group in groupby(pieces, key=lambda one: isinstance(one, Fixed)):
        if fixed:
            done.append(Fixed(text="".join(one.text for one in group if isinstance(one, Fixed))))
        else:
            done += group
    return done


def constant(values: tuple[str, ...]) -> list[Piece]:
    """Return the pieces of one text that all samples share.

    A date, a year, a padded number or the value of a key is a column, although it does not vary: its form shows that it
    does elsewhere. Everything else is fixed text.
    """
    text = values[0]
    if _SCHEME.fullmatch(text):
        return [Fixed(text=text)]
    if key := _KEY_VALUE.match(text):
        value = text[key.end() :]
        return [Fixed(text=key[0]), *([Slot(values=(value,) * len(values), kind="key")] if value else [])]
    for kind, form in CONSTANT if len(values) > _FEW else _CONSTANT_OF_FEW:
        found = form.search(text)
        if found is None or not is_likely(kind, [found[0]]):
            continue
        token = found[0]
        before, after = (text[: found.start()],) * len(values), (text[found.end() :],) * len(values)
        unit = "[0-9]+[A-Z]" if kind == "number" and not token.isdigit() else ""
        middle = Slot(values=(token,) * len(values), kind=kind, form=unit)
        return [*(constant(before) if before[0] else []), middle, *(constant(after) if after[0] else [])]
    return [Fixed(text=text)]


def _by_key(values: tuple[str, ...], apart: str, finely: bool) -> list[Piece] | None:
    """Cut off a key that all values begin with, as in year=2024. The value is one column, whatever it holds, up to the
    next key that all values have, as in epoch=08-loss=1.4.
    """
    found = [_KEY_VALUE.match(value) for value in values]
    keys = {one[0] for one in found if one is not None}
    if not all(found) or len(keys) != 1:
        return None
    key = keys.pop()
    rest = tuple(value[len(key) :] for value in values)
    next_keys = [_NEXT_KEY.search(value) for value in rest]
    marks = {one[1] for one in next_keys if one is not None}
    if all(next_keys) and len(marks) == 1:
        mark = marks.pop()
        here, after = zip(*(value.split(mark, 1) for value in rest), strict=True)
        if further := _by_key(tuple(mark[1:] + one for one in after), apart, finely):
            return [Fixed(text=key), Slot(values=here, kind="key"), Fixed(text=mark[0]), *further]
    if ends := _after_numbers(rest, apart):
        return [Fixed(text=key), *ends]
    return [Fixed(text=key), Slot(values=rest, kind="key")]


def _after_numbers(values: tuple[str, ...], apart: str) -> list[Piece] | None:
    """Return the pieces of numbers, some of which have a mark and more after them, as in step=1600-v2, or None."""
    heads = [_NUMBER_OF_KEY.match(value) for value in values]
    numbers = tuple(one[0] for one in heads if one is not None)
    if len(numbers) < len(values) or numbers == values:
        return None
    rest = without_some(tuple(value[len(one) :] for value, one in zip(values, numbers, strict=True)), apart, cut)
    return None if rest is None else [Slot(values=numbers, kind="key", apart="-_"), *rest]


def _by_type(values: tuple[str, ...], apart: str, finely: bool) -> list[Piece] | None:
    for kind, typed in TYPED:
        found = [typed.search(value) for value in values]
        spans = [one.span() for one in found if one is not None]
        if len(spans) == len(values) and is_likely(kind, [one[0] for one in found if one is not None]):
            before = tuple(value[:start] for value, (start, _) in zip(values, spans, strict=True))
            token = tuple(value[start:end] for value, (start, end) in zip(values, spans, strict=True))
            after = tuple(value[end:] for value, (_, end) in zip(values, spans, strict=True))
            middle = Slot(values=token, kind=kind)
            return [
                *cut(before, finely=finely and not _is_prose(before)),
                middle,
                *cut(after, apart=apart, finely=finely and not _is_prose(after)),
            ]
    return None


_PROSE = re.compile(r"[^0-9A-Za-z]?[a-z]+(?:[-_ ][a-z0-9]+)*")


def _is_prose(values: tuple[str, ...]) -> bool:
    """Return whether values are lower-case words, of which some have many and some few: a title, not fields."""
    counts = {len(re.split("[-_ ]", value)) for value in values}
    plain = sum(_PROSE.fullmatch(value) is not None for value in values)
    return len(counts) > 2 and plain > 0.8 * len(values)


def _ordinal(values: tuple[str, ...], apart: str, finely: bool) -> list[Piece] | None:
    return _first_of((by_ordinal, by_ordinal_apart), values, apart, partial(cut, finely=finely))


def _by_separator(values: tuple[str, ...], apart: str, finely: bool) -> list[Piece] | None:
    if sum(_VERSION.match(value) is not None for value in values) * 2 > len(values) and not _are_codes(values):
        return None
    for mark in _SEPARATORS:
        if (mark == "." and _points_join(values)) or (mark == " " and all(map(_TITLE.fullmatch, values))):
            continue
        counts = {value.count(mark) for value in values}
        if len(counts) > 1 or 0 in counts:
            continue
        rows = [value.split(mark) for value in values]
        parts = [tuple(column) for column in zip(*rows, strict=True)]
        if any(any(part) and not all(part) for part in parts) and not is_sometimes_empty(parts, ended=apart == mark):
            continue
        pieces: list[Piece] = []
        for number, part in enumerate(parts):
            last = number == len(parts) - 1
            if any(part) and not all(part):
                pieces += [Slot(values=part, apart=mark, optional=True), *([] if last else [Fixed(text=mark)])]
                continue
            end = apart if last else mark if len(mark) == 1 else ""
            pieces += cut(part, apart=end, finely=finely and not _is_whole(part, mark, len(parts)))
            pieces += [] if last else [Fixed(text=mark)]
        return pieces
    return None


def _is_whole(part: Sequence[str], mark: str, count: int) -> bool:
    """Return whether one of several parts between dashes holds underscores in no regular way, as `dft_3d_chipsff` and
    `qe_tb` do, or one between doubled separators holds single ones, so that these join the words of one value.
    """
    dashes = mark == "-" and (count >= _SEVERAL_PARTS or (count > 1 and all(map(_WORDS.fullmatch, part))))
    inner = "_" if dashes else "_-" if mark and mark in DOUBLED else ""
    return any(len({one.count(each) for one in part}) > 1 for each in inner)


def _points_join(values: tuple[str, ...]) -> bool:
    """Return whether points are parts of numbers or of names such as com.example.app, so that they separate nothing."""
    decimal = any(_POINT.search(value) for value in values) and not (_are_codes(values) or _end_with_counters(values))
    return decimal or all(value.startswith(DOMAINS) for value in values)


def _end_with_counters(values: tuple[str, ...]) -> bool:
    """Return whether all values end with a point and a padded number of one width, before which some have a letter, so
    that it is none of decimals, as `sessions_2023.00051` beside `users.00076`.
    """
    found = [_COUNTER_LAST.fullmatch(value) for value in values]
    numbers = [one[2] for one in found if one is not None]
    letters = any(one[1].isalpha() for one in found if one is not None)
    return len(numbers) == len(values) and letters and _are_counters(tuple(numbers))


def _are_codes(values: tuple[str, ...]) -> bool:
    """Return whether points separate parts of fixed width, of which one has letters, so that they are no version."""
    rows = [value.split(".") for value in values]
    if len(values) < MANY_ORDINALS or len({len(row) for row in rows}) > 1:
        return False
    parts = list(zip(*rows, strict=True))
    same = all(len({len(one) for one in part}) == 1 for part in parts)
    if len(parts) == 2:
        codes = any(_are_hexadecimal(part) for part in parts) or all(map(_PADDED_VERSION.match, values))
        return same and (codes or all(map(are_sixtieths, parts)))
    return same and any(all(re.search("[A-Za-z]", one) for one in part) for part in parts)


def _are_hexadecimal(values: Sequence[str]) -> bool:
    """Return whether values are codes of eight hexadecimal digits or more, most of which have a letter."""
    return all(map(_HEXADECIMAL.fullmatch, values)) and sum(map(str.isdigit, values)) * 2 < len(values)


def _by_first_separator(values: tuple[str, ...], apart: str, finely: bool) -> list[Piece] | None:
    if not finely or sum(_VERSION.match(value) is not None for value in values) * 2 > len(values):
        return None
    for mark in _UNEVEN:
        if mark == "." and (
            any(_POINT.search(value) for value in values)
            or _alike_at_the_end(values)
            or all(value.startswith(DOMAINS) for value in values)
        ):
            continue
        if all(0 < value.find(mark) < len(value) - 1 for value in values):
            left, right = zip(*(value.split(mark, 1) for value in values), strict=True)
            if mark in _STRONG or len(set(left)) <= max(len(values) // 2, 1) or all(one.isalnum() for one in left):
                return [
                    *cut(left, apart=mark, finely=finely),
                    Fixed(text=mark),
                    *cut(right, apart=apart, finely=finely),
                ]
    return None


def _alike_at_the_end(values: tuple[str, ...]) -> bool:
    """Return whether all values end with a point and a short number, as the pages of a manual do."""
    if sum(_RELEASE_FIRST.match(value) is not None for value in values) * 2 > len(values):
        return False
    return all(_ENDING.search(value) for value in values) and not all(_NUMBERS.search(value) for value in values)


def _by_ending(values: tuple[str, ...], apart: str, finely: bool) -> list[Piece] | None:
    """Cut off a short number after the last point."""
    if not finely or not _alike_at_the_end(values):
        return None
    left, right = zip(*(value.rsplit(".", 1) for value in values), strict=True)
    kinds = {one.rpartition(".")[2] for one in left}
    kind = f".{kinds.pop()}" if len(kinds) == 1 and all("." in one for one in left) else ""
    names = tuple(one.removesuffix(kind) for one in left)
    first: Piece = Fixed(text=names[0]) if len(set(names)) == 1 else Slot(values=names)
    return [first, Fixed(text=f"{kind}."), *cut(right, apart=apart or ".", finely=False)]


def _by_digits(values: tuple[str, ...], apart: str, finely: bool) -> list[Piece] | None:
    """Cut off constant letters before digits, and cut off the digits if something else follows them.

    Two letters are not cut off, because they are more often part of a code than its name.
    """
    numbers = [_LETTERS_LAST.fullmatch(value) for value in values]
    ends = {one[2] for one in numbers if one is not None}
    if finely and all(numbers) and len(ends) == 1 and len({len(value) for value in values}) == 1:
        end = ends.pop()
        return [Slot(values=tuple(value[: -len(end)] for value in values), kind="number"), Fixed(text=end)]
    found = [_PREFIXED.fullmatch(value) for value in values]
    letters = {one[1] for one in found if one is not None}
    if not finely or not all(found) or len(letters) != 1:
        return None
    prefix = letters.pop()
    rest = tuple(value[len(prefix) :] for value in values)
    if _are_accessions(prefix, rest) or all(map(_GROUPS.fullmatch, values)):
        return None
    if _are_versions(rest):
        return [Fixed(text=prefix), Slot(values=rest, apart=apart, glob="[0-9]*", form=_NUMBERS_OF_VERSION)]
    if (len(prefix) == 2 and not _are_counters(rest)) or (len(prefix) == 1 and not _are_numbers(rest)):
        return None
    numbers = [_DIGITS_FIRST.fullmatch(one) for one in rest]
    heads = tuple(one[1] for one in numbers if one is not None)
    tails = tuple(one[2] for one in numbers if one is not None)
    letters = {one[:1] for one in tails}  # one that all have ends numbers of any width, but a point may join them
    uneven = len({len(one) for one in heads}) > 1 and (len(letters) > 1 or not min(letters).isalpha())
    if len(heads) < len(values) or uneven or all(one.isdigit() for one in rest):
        return [Fixed(text=prefix), Slot(values=rest, apart=apart)]
    head = constant(heads) if len(set(heads)) == 1 else [Slot(values=heads)]
    return [Fixed(text=prefix), *head, *cut(tails, apart=apart, finely=finely)]


def _are_versions(values: tuple[str, ...]) -> bool:
    """Return whether values are numbers with points that all begin with the same one, as the `3.12` of `python3.12`.

    Those that begin with 0 are decimals.
    """
    first = {value.partition(".")[0] for value in values}
    return all(map(_POINTED.fullmatch, values)) and len(first) == 1 and first != {"0"}


_ACCESSION_DIGITS = 6


def _are_accessions(letters: str, rest: tuple[str, ...]) -> bool:
    """Return whether capitals and the padded digits of one width after them are one code, as in `PXD011106`."""
    digits = letters.isupper() and all(map(str.isdigit, rest)) and len({*map(len, rest)}) == 1
    return digits and len(rest[0]) >= _ACCESSION_DIGITS and any(one[0] == "0" for one in rest)


_COUNTER_DIGITS = 4
_CODE_DIGITS = 7  # a letter before so many digits of one width belongs to them, as in n02123045


def _are_numbers(values: tuple[str, ...]) -> bool:
    """Return whether values begin with numbers, and are not the digits of a long code."""
    digits = all(map(str.isdigit, values))
    long = digits and len({*map(len, values)}) == 1 and len(values[0]) >= _CODE_DIGITS
    return not long and all(map(_NUMBER_FIRST.match, values))


def _are_counters(values: tuple[str, ...]) -> bool:
    """Return whether values are numbers of one width, of at least four digits, of which some are padded."""
    widths = {len(value) for value in values}
    digits = all(value.isascii() and value.isdigit() for value in values)
    return digits and len(widths) == 1 and min(widths) >= _COUNTER_DIGITS and any(one[0] == "0" for one in values)


def _locale(values: tuple[str, ...], apart: str, finely: bool) -> list[Piece] | None:
    return _first_of((by_locale_within,), values, apart, partial(cut, finely=finely))


def _whole_locale(values: tuple[str, ...], apart: str, _finely: bool) -> list[Piece] | None:
    return by_locale(values, apart)


def _by_what_is_first(values: tuple[str, ...], apart: str, finely: bool) -> list[Piece] | None:
    if seasons := by_season(values, apart, cut):
        return seasons
    if finely and (numbered := by_first_number(values, apart)):
        return numbered
    if are_countries(values):
        return [Slot(values=values, apart=apart, kind="country")]
    return by_country(values, apart, cut) if finely else None


def _internet_names(values: tuple[str, ...], apart: str, finely: bool) -> list[Piece] | None:
    return by_internet_names(values, apart, partial(cut, finely=finely))


_WAYS = (
    _by_key,
    by_brackets,
    by_signed_numbers,
    _by_edge,
    _internet_names,
    _whole_locale,
    _by_what_is_first,
    _release,
    by_long_numbers,
    _by_type,
    _fixed_width,
    _locale,
    _ordinal,
    _optional_end,
    _ends,
    _by_ending,
    by_parameters,
    _by_separator,
    _uneven,
    _by_first_separator,
    by_unit,
    _by_digits,
)
