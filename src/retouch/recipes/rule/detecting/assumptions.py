"""Names what a rule assumes: what the samples cannot show, and only the user can answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch._lib.counting import counted
from retouch.recipes.rule.detecting.across import NAMED, dates_across
from retouch.recipes.rule.detecting.codes import are_both
from retouch.recipes.rule.detecting.columns import Fixed, Slot
from retouch.recipes.rule.detecting.dependent import are_dependent
from retouch.recipes.rule.detecting.endings import OTHER_IMAGE
from retouch.recipes.rule.detecting.known import KNOWN_NAMES
from retouch.recipes.rule.detecting.naming import UNITS, USUAL_LETTERS, is_next_part
from retouch.recipes.rule.detecting.padded import is_of_one_width, is_time_key
from retouch.recipes.rule.globs.matching import glob_test
from retouch.recipes.rule.globs.parsing import parse_glob
from retouch.recipes.rule.language.dates import EPOCHS
from retouch.recipes.rule.language.names import as_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.detecting.columns import Column
    from retouch.recipes.rule.detecting.specificity import Specificity

SHOWN = 3  # endings that a question names
AssumptionKind: TypeAlias = Literal[
    "few",
    "head",
    "fixed",
    "zeros",
    "date",
    "codes",
    "known",
    "whole",
    "apart",
    "left",
    "loose",
    "example",
    "hint",
    "above",
    "endings",
]

PLAIN_WORDS = "words"
ENOUGH = 20  # if one path in seven differed, 20 random samples would hardly all agree
LEAST = 5  # fewer samples show no shape, whatever the user accepts
SURE_CODES = 8  # so many different codes of countries are hardly anything else
MOST_OTHERS = 0.25  # the share of values that are no numbers, if all others are
_FEW_SHOWN = 3
_DATES = {8: ("%d%m%Y", "%m%d%Y", "%Y%m%d"), 6: ("%d%m%y", "%m%d%y", "%y%m%d", "%Y%m")}  # by the number of digits
_YEARS = range(1950, 2101)
_LITERAL = re.compile(r"\[[^\]]*\]|\\(.)|[*?{},/]")
_LETTER = re.compile(r"[A-Za-z]")
_FIRST_WORD = re.compile("(?<=[0-9A-Za-z])[-_. ].*", re.DOTALL)  # what follows it
_WORD = re.compile(r"[A-Za-z0-9]+")
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*=")
_CODE = re.compile(r"[A-Z]{2,}|.*[0-9].*")
_LETTERS_BEFORE = re.compile(r"(?:^|[^0-9A-Za-z])([A-Za-z]{1,2})\Z")
_LAST_LETTERS = re.compile("[A-Za-z]{2,}\\Z")
_DIGITS_AT_END = re.compile("[0-9]{2,}\\Z")
_UNIT = re.compile(rf"(?:{UNITS})(?![A-Za-z])")
_DATE_DIGITS = 6  # so many digits are a date or a time, whatever is before them
_TIMES = re.compile(r"(?:time|epoch|(?:^|[^0-9A-Za-z])ts|_at)[^0-9A-Za-z]?\Z", re.IGNORECASE)
_JOINS = re.compile(r"[-_. ]|(?<=[a-z])(?=[A-Z0-9])|(?<=[0-9])(?=[A-Za-z])|(?<=[A-Z])(?=0[0-9]\Z)")


@dataclass(frozen=True, kw_only=True)
class Assumption:
    """Something that a rule assumes. `key` accepts it (`--accept KEY`), and `question` asks about it.

    If it is not `open`, the samples make it likely enough, and it is only stated. If it is not `acceptable`, only other
    samples or examples answer it.
    """

    key: str
    kind: AssumptionKind
    question: str
    open: bool = True
    acceptable: bool = True

    def is_accepted(self, keys: Collection[str]) -> bool:
        """Return whether the user accepted it: by its key, or by "all"."""
        return self.acceptable and (self.key in keys or "all" in keys)

    def as_json(self) -> dict[str, JSON]:
        """Return the assumption as plain data."""
        return {"key": self.key, "kind": self.kind, "question": self.question, "open": self.open}


@dataclass(frozen=True)
class RuleShape:
    """The columns and the glob of the rule of one shape."""

    columns: Sequence[Column]
    glob: str


def assumptions_of(
    shapes: Sequence[RuleShape],
    matched: Sequence[str],
    left: Sequence[str],
    specificity: Specificity,
    *,
    answered: Collection[str] = (),
) -> tuple[Assumption, ...]:
    """Return what the rules of `shapes` assume about the paths that they match, and those that they leave out.

    `answered` are names of fields that the user gave an example of, about which nothing is open.
    """
    found = [*_about_samples(matched, left, specificity), *_about_directories_above(shapes, matched)]
    for shape in shapes:
        found += _about_constants(shape, matched)
        found += _about_columns(shape.columns, answered)
    found += _about_plain_words(found)
    by_key: dict[str, Assumption] = {}
    for one in found:  # a question in one shape is open, whatever the others show
        by_key[one.key] = one if one.open or one.key not in by_key else by_key[one.key]
    return tuple(by_key.values())


def _about_columns(columns: Sequence[Column], answered: Collection[str]) -> Iterator[Assumption]:
    """Yield what the columns of one shape assume."""
    across = [one for date in dates_across(columns) for one in date.parts if len(date.forms) > 1 or one.name in NAMED]
    of_dates = {one.name for one in across}
    for before, column in zip((None, *columns), columns, strict=False):
        if column.name not in answered and not column.rest:
            about = _about_column(column, before)
            yield from (one for one in about if one.kind not in {"zeros", "date"} or column.name not in of_dates)
    yield from _about_known_names(columns)
    yield from _about_dates_across(columns)


def _about_known_names(columns: Sequence[Column]) -> Iterator[Assumption]:
    """Yield a statement about each well-known form of names that the columns follow."""
    parts = [one.slot.part for one in columns if one.slot is not None and one.slot.part]
    for known in KNOWN_NAMES:
        if any(part is one for part in parts for one in known.parts):
            message = f"all samples are named as {known.title} are ({known.source})"
            yield Assumption(key=f"known:{as_name(known.title)}", kind="known", question=message, open=False)


def _about_dates_across(columns: Sequence[Column]) -> Iterator[Assumption]:
    """Yield a proposal for each date that several columns make, and a question if the order is not known."""
    for column in columns:
        if column.rest and column.type == "timestamp":
            message = f"{column.name} is the time that {len(column.rest) + 1} parts of the path make"
            yield Assumption(key=f"join:{column.name}", kind="date", question=message, open=False)
    for found in dates_across(columns):
        *names, last = (one.name for one in found.parts)
        what = "date" if found.type == "date" else "time"
        said = f"{', '.join(names)} and {last}"
        if len(found.forms) == 1:
            message = f"{said} make one {what}; --accept {found.key} makes it the field {found.name}"
            yield Assumption(key=found.key, kind="date", question=message, open=not found.is_likely)
        else:
            message = f"are {said} a date, day first or month first (--date-format), or numbers?"
            yield Assumption(key=found.key, kind="date", question=message)


def _about_directories_above(shapes: Sequence[RuleShape], matched: Sequence[str]) -> Iterator[Assumption]:
    """Yield an assumption if the directories that `**` stands for differ: they may hold a value."""
    above = _above(shapes, matched)
    if len(above) > 1:
        one, other, *_ = above
        message = f"the directories above, for example {one!r} and {other!r}, are not taken: do they hold a value?"
        yield Assumption(key="above", kind="above", question=message)


def _above(shapes: Sequence[RuleShape], matched: Sequence[str]) -> list[str]:
    """Return the different directories that `**` stands for at the beginning of globs."""
    above: dict[str, None] = {}
    for glob in (one.glob for one in shapes if one.glob.startswith("**/")):
        if "/**/" in glob[2:] or glob.endswith("/**"):
            continue
        fits, depth = glob_test(parse_glob(glob)), glob.count("/")
        own = [path.lstrip("/").split("/") for path in matched if fits(path.lstrip("/"), path)]
        above |= dict.fromkeys("/".join(row[:-depth]) for row in own)
    return [*above]


def _about_plain_words(found: Sequence[Assumption]) -> Iterator[Assumption]:
    """Yield one question about all plain words that are fixed, if anything else is to be answered anyway."""
    words = dict.fromkeys(one.key.partition(":")[2] for one in found if one.kind == "fixed" and not one.open)
    if words and any(one.open for one in found):
        shown = ", ".join(map(repr, words))
        yield Assumption(
            key=PLAIN_WORDS, kind="fixed", question=f"fixed too: {shown}; is one of them a value that varies?"
        )


def _about_samples(matched: Sequence[str], left: Sequence[str], specificity: Specificity) -> Iterator[Assumption]:
    if len(matched) < ENOUGH:
        verb = "is" if len(matched) == 1 else "are"
        message = f"there {verb} only {counted(len(matched), 'sample')} of this shape; do other files look the same?"
        yield Assumption(key="few", kind="few", question=message, acceptable=len(matched) >= LEAST)
    if is_head(matched) or are_in_order(matched):
        message = "the samples look like the first lines of a sorted list; do later ones look the same?"
        yield Assumption(key="head", kind="head", question=message)
    if left:
        shown = ", ".join(repr(path.lstrip("/")) for path in left[:_FEW_SHOWN])
        message = f"the rule leaves out {len(left)} samples, for example {shown}: are they noise, or of another shape?"
        yield Assumption(key="left", kind="left", question=message)
        yield from _about_other_endings(matched, left)
    if not specificity.is_specific:
        message = (
            f"the rule explains {specificity.explained:.0%} of the characters of a path, and takes "
            f"{specificity.near_misses:.0%} of names that are no data: is this all that is known about these paths?"
        )
        yield Assumption(key="loose", kind="loose", question=message, acceptable=False)


MANY_IN_ORDER = 10
_ALNUM = re.compile("[0-9A-Za-z]+")


def is_head(paths: Sequence[str]) -> bool:
    """Return whether paths look like the beginning of a sorted list: in order, and alike at the top but not below.

    Alike are the same directory and those that begin with the same word.
    """
    if len(paths) < 5 or list(paths) != sorted(paths):
        return False
    tops = {path.lstrip("/").split("/")[0] for path in paths}
    return len({_FIRST_WORD.sub("", one) for one in tops}) == 1 or not any("/" in one[1:] for one in paths)


def _about_other_endings(matched: Sequence[str], left: Sequence[str]) -> Iterator[Assumption]:
    """Yield a question if left samples have the form of the matched ones, which all have one other extension."""
    forms, endings = ({_parted(path)[at] for path in matched} for at in (0, 1))
    others = sorted({end for form, end in map(_parted, left) if form in forms and end not in endings})
    if len(endings) == 1 and others:
        shown = ", ".join(map(repr, others))
        question = f"fixed here: {min(endings)!r}, but samples that are left out end with {shown}; make it a field?"
        yield Assumption(key="ending", kind="fixed", question=question)


def _parted(path: str) -> tuple[str, str]:
    """Return the separators of a path without its extension, and the extension."""
    stem, _, ending = path.rpartition(".")
    return _ALNUM.sub("x", stem), ending


def are_in_order(paths: Sequence[str]) -> bool:
    """Return whether paths are more lines in order than are so by chance, so that they may be the first of a list."""
    return len(paths) >= MANY_IN_ORDER and list(paths) == sorted(paths)


def _about_constants(shape: RuleShape, matched: Sequence[str]) -> Iterator[Assumption]:
    """Yield an assumption for each literal word of the glob, or before an optional value: it may vary in other paths.

    So may the directories above, if all samples have the same.
    """
    text = _LITERAL.sub(lambda found: found[1] or " ", shape.glob)
    name = text.split()[-1] if text.split() else ""
    slots = [one.slot for one in shape.columns if one.slot is not None]
    leads = " ".join(one.lead for one in slots if one.kind != "known")
    above = _above([shape], matched)
    every = f"{above[0] if len(above) == 1 else ''} {text} {leads}"
    for word in dict.fromkeys(_WORD.findall(_KEY.sub("", every))):
        if len(word) < 2 and not word.isdigit():
            continue
        is_open = (len(matched) < ENOUGH or _CODE.fullmatch(word) is not None) and not name.endswith(f".{word}")
        is_open = is_open and word in f"{text} {leads}"
        yield Assumption(
            key=f"fixed:{word}", kind="fixed", question=f"fixed here: {word!r}; make it a field?", open=is_open
        )


def _about_column(column: Column, before: Column | None) -> Iterator[Assumption]:
    there = [value for value in column.values if value]
    kind = column.slot.kind if column.slot is not None else ""
    if kind == "known":
        return
    padded = [value for value in there if len(value) > 1 and value.startswith("0") and value.isdigit()]
    timed = kind in {"day_of_year", "date", "stamp"} or (kind == "key" and is_time_key(column.pieces, column.at))
    if padded and not timed and not is_next_part(before, column):
        number, code = f"the number {int(padded[0])}", "a code whose zeros matter"
        first, other = (number, code) if column.type == "integer" else (code, number)
        message = f"{column.name}: is {padded[0]!r} {first}, or {other}?"
        yield Assumption(key=f"zeros:{column.name}", kind="zeros", question=message)
    elif column.type == "string" and not kind and is_of_one_width(there):
        message = f"{column.name}: is {there[0]!r} a code, or the number {int(there[0])}?"
        yield Assumption(key=f"zeros:{column.name}", kind="zeros", question=message)
    if column.type == "integer" and _may_be_dates(there):
        message = f"{column.name}: is {there[0]!r} a number, or a date?"
        yield Assumption(key=f"date:{column.name}", kind="date", question=message)
    if column.type == "timestamp":
        yield from _about_time(column, kind)
    if (column.name.startswith("language") and are_both(there)) or (kind == "country" and len({*there}) < SURE_CODES):
        shown = ", ".join(map(repr, sorted({*there})[:_FEW_SHOWN]))
        message = f"{column.name}: are {shown} {'languages' if kind != 'country' else 'other codes'}, or countries?"
        yield Assumption(key=f"codes:{column.name}", kind="codes", question=message)
    joined = [value for value in there if _JOINS.search(value)]
    if column.type == "string" and joined and (not kind or (kind == "ending" and _are_numbered(there))):
        message = f"{column.name}: is {joined[0]!r} one value, or several?"
        yield Assumption(key=f"whole:{column.name}", kind="whole", question=message)
    yield from _about_ends(column, kind, there[0] if there else "")
    others = [value for value in there if not value.isdigit()]
    if column.type == "string" and 0 < len(others) <= MOST_OTHERS * len(there):
        number = next(value for value in there if value.isdigit())
        message = f"{column.name}: {number!r} is a number, and {others[0]!r} is none; are both values of one kind?"
        yield Assumption(key=f"apart:{column.name}", kind="apart", question=message)
    if column.name == "ext":
        yield from _about_extensions(column, dict.fromkeys(there))


def _about_extensions(column: Column, there: Collection[str]) -> Iterator[Assumption]:
    """Yield a question about files of several extensions, and about those that only the rule takes."""
    endings = [f"'.{ending}'" for ending in there]
    more = [f"{len(endings) - SHOWN} others"] if len(endings) > SHOWN + 1 else []
    shown = " and ".join((endings[:SHOWN] + more) if more else endings)
    other = OTHER_IMAGE.get("".join(there), "")
    if len(there) > 1:
        yield Assumption(key="endings", kind="endings", question=f"are the files with {shown} all of one kind?")
    elif other and other in (column.pattern or ""):
        question = f"the rule also takes files with '.{other}', which no sample has: are they of the same kind?"
        yield Assumption(key="endings", kind="endings", question=question)
    else:
        question = f"the rule also takes files with other extensions than {shown}: are they of the same kind?"
        yield Assumption(key="endings", kind="endings", question=question)


def _about_ends(column: Column, kind: str, value: str) -> Iterator[Assumption]:
    """Yield the questions where a value begins and ends, and about one word that only some names have at their end."""
    slot = column.slot
    if not kind and (_follows_number(column) or _follows_text(column) or _may_be_missing(slot)):
        message = f"{column.name}: is {value!r} a value of its own, or does it belong to the one before it?"
        yield Assumption(key=f"apart:{column.name}", kind="apart", question=message)
    lead, unit = _code_before(column) or _word_before(column), _unit_after(column)
    if lead or unit:
        message = f"{column.name}: is the value {value!r}, or {lead + value + unit!r}?"
        yield Assumption(key=f"apart:{column.name}", kind="apart", question=message)
    if slot is not None and kind != "ending" and value.isalpha() and _is_one_word(slot, value):
        question = f"are the files with and without {slot.written(value)!r} all of one kind?"
        yield Assumption(key="endings", kind="endings", question=question)


def _is_one_word(slot: Slot, value: str) -> bool:
    return slot.optional and {*slot.values} == {"", value}


def _about_time(column: Column, kind: str) -> Iterator[Assumption]:
    """Yield a question about a time whose digits may be a number."""
    first = next((value for value in column.values if value), "")
    if column.format in EPOCHS:
        unit = "seconds" if EPOCHS[column.format] == 1 else "milliseconds"
        message = f"{column.name}: is {first!r} a time ({unit} since 1970), or a number?"
        lead = column.pieces[column.at - 1] if column.at else None
        named = isinstance(lead, Fixed) and _TIMES.search(lead.text) is not None
        yield Assumption(key=f"date:{column.name}", kind="date", question=message, open=not named)
    elif kind == "stamp" and first.isdigit():
        message = f"{column.name}: is {first!r} a time, or a number whose digits matter?"
        yield Assumption(key=f"date:{column.name}", kind="date", question=message)


def _code_before(column: Column) -> str:
    """Return the one or two letters directly before a number, if they may be part of it, as in T1 and G16, or ""."""
    if not column.at or not column.pieces:
        return ""
    before = column.pieces[column.at - 1]
    found = _LETTERS_BEFORE.search(before.text) if isinstance(before, Fixed) else None
    digits = all(value.isdigit() and len(value) < _DATE_DIGITS for value in column.values if value)
    return found[1] if found and digits and found[1].lower() not in USUAL_LETTERS else ""


def _word_before(column: Column) -> str:
    """Return the word directly before a text that begins with a letter or digit, as in `pgrb2s`, or ""."""
    before = column.pieces[column.at - 1] if column.at and column.pieces else None
    found = _LAST_LETTERS.search(before.text) if isinstance(before, Fixed) else None
    there = [value for value in column.values if value]
    glued = column.type == "string" and all(value[0].isalnum() for value in there) and any(map(_has_digit, there))
    return found[0] if found and glued else ""


def _has_digit(value: str) -> bool:
    return any(map(str.isdigit, value))


def _are_numbered(values: Sequence[str]) -> bool:
    """Return whether values are the same letters before several numbers, as `f003` and `f006`."""
    return len({*values}) > 1 and len({_DIGITS_AT_END.sub("", value) for value in values}) == 1


def _unit_after(column: Column) -> str:
    """Return the unit directly after a number, as in 240h, or ""."""
    after = column.pieces[column.at + 1 : column.at + 2]
    found = _UNIT.match(after[0].text) if after and isinstance(after[0], Fixed) and column.type == "integer" else None
    return found[0] if found else ""


def _may_be_dates(values: Sequence[str]) -> bool:
    """Return whether all values are digits that one form of dates reads, such as 23012023 or 200109."""
    forms = _DATES.get(len(values[0]), ()) if values and len({*map(len, values)}) == 1 else ()
    return any(all(_is_date(value, form) for value in values) for form in forms)


def _is_date(value: str, form: str) -> bool:
    try:
        return datetime.strptime(value, form).year in _YEARS
    except ValueError:
        return False


def _follows_text(column: Column) -> bool:
    """Return whether a column and the one before it are text, separated only by "-" or a space, which often joins."""
    if column.at < 2 or not column.pieces:
        return False
    before, mark, here = column.pieces[column.at - 2 : column.at + 1]
    if not isinstance(before, Slot) or not isinstance(mark, Fixed) or not isinstance(here, Slot):
        return False
    if are_dependent(before, here):
        return True
    return mark.text in {"-", " "} and not before.kind and any(map(_LETTER.search, (*before.values, *here.values)))


def _may_be_missing(slot: Slot | None) -> bool:
    """Return whether a value is an end that only some names have, after a mark that also joins words."""
    return slot is not None and slot.optional and (slot.lead in {"_", "-", "."} or bool(slot.tail))


def _follows_number(column: Column) -> bool:
    """Return whether a column and the one before it are digits, separated only by one character."""
    if column.at < 2 or not column.pieces:
        return False
    before, mark, here = column.pieces[column.at - 2 : column.at + 1]
    if not isinstance(before, Slot) or not isinstance(mark, Fixed) or not isinstance(here, Slot):
        return False
    digits = all(value.isdigit() for slot in (before, here) for value in slot.values if value)
    return digits and mark.text in {"-", "_", "."} and before.kind not in {"date", "stamp"}
