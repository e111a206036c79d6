"""Cuts off an end that only some values have, such as the `_1` of `SRR1416078_1` beside `SRR7293014`, or dates.

Whether an end is missing or the value is simply another word is seen by the rest: without the end, values with it look
like those without it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.columns import Fixed, Slot
from retouch.recipes.rule.detecting.doubled import DOUBLED
from retouch.recipes.rule.globs.parsing import escaped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.rule.detecting.columns import Piece
    from retouch.recipes.rule.detecting.uneven import Cut

_MARKS = f"{DOUBLED}_-."
_LEAST = 2  # values with the end, and values without it
_FEW_WORDS = 4
_SHORT = 2  # letters
_RUNS = re.compile(r"([0-9]+)|([A-Z]+)|([a-z]+)")
_WORD = re.compile("[a-z][0-9a-z]*")
_POINTED = re.compile(r"[0-9]+[.:]")  # as a version begins
_DATE = re.compile("(?:19|20)[0-9]{2}(-?)(?:0[1-9]|1[0-2])\\1(?:0[1-9]|[12][0-9]|3[01])")
_LETTERS_AND_NUMBER = re.compile("([A-Za-z]{1,4})[0-9]+")
_LABELLED = re.compile("([A-Za-z]{2,}[-_=])[0-9]+")
_DIGITS = re.compile(r"[0-9]+(?:[-_T][0-9]+)*")


def by_optional_end(values: tuple[str, ...], apart: str, cut: Cut) -> list[Piece] | None:
    """Cut off an end that only some values have after the last of "_", "-" or "."."""
    for mark in _MARKS:
        most = max(value.count(mark) for value in values)
        there = [value.count(mark) == most for value in values]
        if {value.count(mark) for value in values} != {most, most - 1}:
            continue
        heads = tuple(value.rpartition(mark)[0] if one else value for value, one in zip(values, there, strict=True))
        ends = tuple(value.rpartition(mark)[2] if one else "" for value, one in zip(values, there, strict=True))
        if min(there.count(True), there.count(False)) < _LEAST or not all(heads) or _is_one_word(values, there):
            continue
        if letters := _revision(heads, ends) or _label(heads, ends):
            numbers = tuple(end.removeprefix(letters) for end in ends)
            lead = f"{mark}{letters}"
            glob = f"{{,{escaped(lead)}[0-9]*}}"
            return [*cut(heads, apart=mark), Slot(values=numbers, apart=apart, lead=lead, optional=True, glob=glob)]
        if not _is_an_end(heads, ends) or (mark == "-" and all(map(_POINTED.match, heads))):
            continue  # the latter is the revision of a version
        digits = "[0-9]*" if all(one.isdigit() for one in ends if one) else "*"
        glob = f"{{,{escaped(mark)}{digits}}}"
        return [*cut(heads, apart=mark), Slot(values=ends, apart=apart, lead=mark, optional=True, glob=glob)]
    return None


def _is_one_word(values: Sequence[str], there: Sequence[bool]) -> bool:
    """Return whether only one of the values has the end, many times, and others lack its head: it is the name of one
    thing, as `x86_64` beside `aarch64`.
    """
    with_end = {value for value, one in zip(values, there, strict=True) if one}
    return (
        len(with_end) == 1
        and there.count(True) > _LEAST
        and not any(min(with_end).startswith(value) for value in values if value not in with_end)
    )


def _revision(heads: Sequence[str], ends: Sequence[str]) -> str:
    """Return the letters before the numbers that some versions end with, as the `r` of `1.10.2-r1`, or ""."""
    found = [_LETTERS_AND_NUMBER.fullmatch(end) for end in ends if end]
    letters = {one[1] for one in found if one is not None}
    versions = sum(_POINTED.match(head) is not None for head in heads) * 2 > len(heads)
    return min(letters) if None not in found and len(letters) == 1 and versions else ""


def _label(heads: Sequence[str], ends: Sequence[str]) -> str:
    """Return the word before the numbers that some values end with, as in `312.opt-1` beside `312`, or ""."""
    found = [_LABELLED.fullmatch(end) for end in ends if end]
    labels = {one[1] for one in found if one is not None}
    return min(labels) if None not in found and len(labels) == 1 and _are_alike(heads, ends) else ""


def by_optional_dates(values: tuple[str, ...], apart: str, cut: Cut) -> list[Piece] | None:
    """Cut at dates between separators that only some values have, as in `P0_03821_19890101_20201231_hist` beside
    `P0_00164_akt`.
    """
    for mark in _MARKS:
        rows = [value.split(mark) for value in values]
        short, long = min(map(len, rows)), max(map(len, rows))
        there = [len(row) == long for row in rows]
        if {*map(len, rows)} != {short, long} or min(there.count(True), there.count(False)) < _LEAST:
            continue
        for at in range(1, short):
            dates = [row[at : at + long - short] if len(row) == long else [] for row in rows]
            others = [row[at] for row in rows if len(row) == short]
            if any(map(_DATE.fullmatch, others)) or not all(_DATE.fullmatch(day) for row in dates for day in row):
                continue
            days = [tuple(row[number] if row else "" for row in dates) for number in range(long - short)]
            before = tuple(mark.join(row[:at]) for row in rows)
            after = tuple(mark.join(row[at + len(day) :]) for row, day in zip(rows, dates, strict=True))
            slots = [Slot(values=day, apart=mark, lead=mark, optional=True) for day in days]
            return [*cut(before, apart=mark), *slots, Fixed(text=mark), *cut(after, apart=apart)]
    return None


def _is_an_end(heads: Sequence[str], ends: Sequence[str]) -> bool:
    """Return whether values without the end look like those with it, and the ends are numbers or a few words."""
    with_end = [head for head, end in zip(heads, ends, strict=True) if end]
    without = [head for head, end in zip(heads, ends, strict=True) if not end]
    found = {end for end in ends if end}
    if _are_words_after_numbers(heads, ends):
        return True
    if _are_of_one_width([*with_end, *without], [*found]):
        return True
    if not _are_alike(heads, ends):
        return False
    same = bool({*with_end} & {*without})
    coded = any("n" in _form(one) for one in with_end)
    if all(map(_DIGITS.fullmatch, found)):
        return len({*map(len, found)}) == 1
    words = all(one.isalpha() for one in found) and len(found) <= _FEW_WORDS
    return words and (coded or same) and all(sum(end == one for end in ends) >= _LEAST for one in found)


def _are_alike(heads: Sequence[str], ends: Sequence[str]) -> bool:
    """Return whether values without the end look like those with it: they are the same, or codes of one form."""
    with_end = {head for head, end in zip(heads, ends, strict=True) if end}
    without = {head for head, end in zip(heads, ends, strict=True) if not end}
    forms = {*map(_form, with_end)}
    coded = len(forms) == 1 and "n" in min(forms)
    return {*map(_form, without)} <= forms and (coded or bool(with_end & without))


def _are_of_one_width(heads: Sequence[str], ends: Sequence[str]) -> bool:
    """Return whether all values without the end are capitals of one width, and the ends are single capitals, as the `F`
    of `FULINS_F` beside `DLTINS`.
    """
    capitals = all(map(str.isupper, (*heads, *ends))) and all(map(str.isalpha, (*heads, *ends)))
    return capitals and {*map(len, ends)} == {1} and len({*map(len, heads)}) == 1 and len(heads[0]) > _SHORT


def _are_words_after_numbers(heads: Sequence[str], ends: Sequence[str]) -> bool:
    """Return whether the ends are words, of which some repeat, after versions, as the `arm64` of `vim_9.0-2_arm64`
    beside `vim_9.0-2`.
    """
    there = [end for end in ends if end]
    last = [re.split("[_ ]", head)[-1] for head in heads]
    words = all(map(_WORD.fullmatch, there)) and len({*there}) < len(there)
    numbers = all(part[:1].isdigit() for part in last)
    return words and numbers and sum(_POINTED.match(part) is not None for part in last) * 2 > len(last)


def _form(text: str) -> str:
    """Return the form of a text: a letter for each number and word, and the separators."""
    return _RUNS.sub(lambda found: "n" if found[1] else "A" if found[2] else "a", text)
