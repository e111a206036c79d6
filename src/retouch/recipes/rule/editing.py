"""Operations on a rule: rename, drop, merge, split and retype fields, and take fields from a labelled path.

Each operation takes a rule and sample paths, and returns the changed rule. The command `retouch rule edit` and the
wizard share them.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch._lib.counting import counted
from retouch.errors import BadInput
from retouch.recipes.rule.applying.changed import loses
from retouch.recipes.rule.applying.evaluation import apply_rule
from retouch.recipes.rule.applying.places import locate
from retouch.recipes.rule.detecting.by_example import columns_by_example
from retouch.recipes.rule.detecting.candidates import detect
from retouch.recipes.rule.detecting.columns import Column
from retouch.recipes.rule.detecting.groups import form_of, path_of
from retouch.recipes.rule.detecting.patterns import quoted, quoted_in_set, type_of
from retouch.recipes.rule.detecting.shapes import KnownColumn, named_alike
from retouch.recipes.rule.detecting.writing import field_of, write_rule
from retouch.recipes.rule.errors import PartError
from retouch.recipes.rule.globs.expression import glob_pattern
from retouch.recipes.rule.globs.parsing import escaped, parse_glob
from retouch.recipes.rule.language.dates import date_reader, timestamp_reader, usual_date
from retouch.recipes.rule.language.model import Field, FieldPart
from retouch.recipes.rule.language.names import NAME, closest
from retouch.recipes.rule.language.values import NUMBERS, TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.detecting.candidate import RuleCandidate
    from retouch.recipes.rule.language.model import ExtractionRule, Source
    from retouch.recipes.rule.language.values import FieldType, Normalize


def renamed(rule: ExtractionRule, old: str, new: str) -> ExtractionRule:
    """Return the rule with the field `old` called `new`, in all shapes that have it.

    Raises:
        BadInput: there is no such field, or the new name is invalid or in use.
    """
    _expect_name(new)

    def change(one: ExtractionRule) -> ExtractionRule:
        names = [field.name for field in one.fields]
        if old in names:
            _expect_unused(new, one.fields)
        return replace(one, fields=tuple(replace(f, name=new) if f.name == old else f for f in one.fields))

    _expect_field(rule, old)
    return _in_all_shapes(rule, change)


def dropped(rule: ExtractionRule, name: str) -> ExtractionRule:
    """Return the rule without a field.

    Raises:
        BadInput: there is no such field.
    """
    _expect_field(rule, name)
    return _in_all_shapes(rule, lambda one: replace(one, fields=tuple(f for f in one.fields if f.name != name)))


def retyped(rule: ExtractionRule, name: str, kind: str) -> ExtractionRule:
    """Return the rule with a field of another type: one of the types, `date:FORMAT` or `timestamp:FORMAT`.

    Raises:
        BadInput: there is no such field, type or format.
    """
    _expect_field(rule, name)
    word, _, form = kind.partition(":")
    known = next((one for one in TYPES if one == word), None)
    if known is None or (form and known not in {"date", "timestamp"}):
        known_types = f"{', '.join(TYPES)}, 'date:%d-%m-%Y' and 'timestamp:epoch'"
        raise BadInput(f"there is no type {kind!r}", hint=f"There are {known_types}.")
    if form:
        try:
            (date_reader if known == "date" else timestamp_reader)(form)
        except PartError as error:
            raise BadInput(f"the format {form!r} cannot be used: {error.message}", hint=error.hint) from error

    def change(one: ExtractionRule) -> ExtractionRule:
        fields = (replace(f, type=known, format=form or None) if f.name == name else f for f in one.fields)
        kept = (replace(f, unit="") if f.name == name and known not in NUMBERS else f for f in fields)
        return replace(one, fields=tuple(kept))

    return _in_all_shapes(rule, change)


def merged(rule: ExtractionRule, names: Sequence[str], new: str) -> ExtractionRule:
    """Return the rule with adjacent fields of one segment joined to the text field `new`, with the text between them.

    They are joined in every shape that has all of them.

    Raises:
        BadInput: there are fewer than two fields, no shape has all, or they are not neighbours in one segment.
    """
    _expect_name(new)
    if len(names) < 2:
        raise BadInput("to merge needs two fields or more", hint="Write --merge year+number=id.")
    for name in names:
        _expect_field(rule, name)
    if not any(_has_all(one, names) for one in (rule, *rule.others)):
        raise BadInput(f"no shape has all of {', '.join(names)}", hint="Merge fields of one shape.")
    return _in_all_shapes(rule, lambda one: _merged(one, names, new) if _has_all(one, names) else one)


def _has_all(rule: ExtractionRule, names: Sequence[str]) -> bool:
    return set(names) <= {field.name for field in rule.fields}


def _merged(rule: ExtractionRule, names: Sequence[str], new: str) -> ExtractionRule:
    """Return one shape with adjacent fields joined."""
    fields = [next(field for field in rule.fields if field.name == name) for name in names]
    groups = [_parted(field) for field in fields]
    apart = BadInput(
        f"{', '.join(names)} are not neighbours in one segment",
        hint="Merge fields of one segment, in their order; or give the value with --example PATH FIELD=VALUE.",
    )
    if len({field.source for field in fields}) > 1 or None in groups:
        raise apart
    whole = {f"{before}{value}{after}" for before, value, after in filter(None, groups)}
    first, last = groups[0], groups[-1]
    if len(whole) != 1 or first is None or last is None or len(first[0]) >= len(last[0]):
        raise apart
    between = [_parted(field) for field in rule.fields if field.source == fields[0].source and field not in fields]
    if any(one is not None and len(first[0]) < len(one[0]) < len(last[0]) for one in between):
        raise apart
    text = whole.pop()
    inner = text[len(first[0]) : len(text) - len(last[2])]
    pattern = f"{first[0]}({inner}){last[2]}"
    joined = replace(fields[0], name=new, pattern=pattern, type="string", format=None, normalize=None)
    joined = replace(joined, description="", unit="")
    rest = [field for field in rule.fields if field.name not in names]
    at = next(number for number, field in enumerate(rule.fields) if field.name in names)
    _expect_unused(new, rest)
    return replace(rule, fields=(*rest[:at], joined, *rest[at:]))


def joined(
    rule: ExtractionRule, names: Sequence[str], new: str, samples: Sequence[str], *, mark: str = "-"
) -> ExtractionRule:
    """Return the rule with a field `new` that joins fields, also of different segments, with `mark` between them.

    The fields stay. The new one is a date or a time if the values of all samples are, else text. Fields that are called
    year, month, day, hour, minute and second are read as that, in any order but year, day, month.

    Raises:
        BadInput: there are fewer than two fields, one is joined itself or has texts that mean null, they are normalised
            in different ways, the new name is invalid or taken, or a day may be read as a month.
    """
    _expect_name(new)
    if len(names) < 2:
        raise BadInput("to join needs two fields or more", hint="Write --join year+month+day=date.")
    for name in names:
        _expect_field(rule, name)
    plain = {field.name: field for field in rule.fields if not field.rest}
    if not set(names) <= plain.keys():
        raise BadInput(
            f"{', '.join(names)} are not all plain fields of the first shape", hint="Join fields of the first shape."
        )
    normalize = _common_normalize([plain[name] for name in names])
    first, *rest = (plain[name] for name in names)
    _expect_unused(new, rule.fields)
    others = tuple(FieldPart(source=field.source, pattern=field.pattern) for field in rest)
    optional = first.optional or any(field.optional for field in rest)
    field = Field(name=new, source=first.source, pattern=first.pattern, rest=others, join=mark, optional=optional)
    field = replace(field, normalize=normalize)
    taken = [path for path in samples if _has_parts(rule, path, names)]
    _expect_order(rule, names, mark, taken)
    for kind, form in ((*_by_names(names, mark), *_JOINED_TYPES)) if taken else ():
        whole = replace(rule, fields=(*rule.fields, replace(field, type=kind, format=form)))
        if all(_has_parts(whole, path, [*names, new]) for path in taken):
            return whole
    return replace(rule, fields=(*rule.fields, field))


def _common_normalize(fields: Sequence[Field]) -> Normalize | None:
    """Return how all fields are normalised; numbers without zeros are that by their type.

    Raises:
        BadInput: they are normalised in different ways, or a text means null, which a part of a value cannot.
    """
    nulls = next((field for field in fields if field.nulls), None)
    if nulls is not None:
        message = f"{nulls.nulls[0]!r} means null in {nulls.name!r}, which a part of a joined value cannot"
        raise BadInput(message, hint="Join fields without a list 'null'.")
    ways: set[Normalize | None] = {
        None if field.normalize == "strip_leading_zeros" else field.normalize for field in fields
    }
    if len(ways) > 1:
        shown = " and ".join(f"{field.name} ({field.normalize or 'as written'})" for field in fields)
        raise BadInput(f"a joined value is normalised in one way, not as {shown} are", hint="Normalise all in one way.")
    return ways.pop()


def _has_parts(rule: ExtractionRule, path: str, names: Sequence[str]) -> bool:
    """Return whether a rule takes every field of a path, and none of these is null or has its default."""
    result = apply_rule(rule, path)
    there = all(result.values.get(name) is not None and name not in result.reasons for name in names)
    return there and result.status == "COMPLETE"


def _by_names(names: Sequence[str], mark: str) -> Sequence[tuple[FieldType, str | None]]:
    """Return the type and format of a day or time whose parts have the names of its parts, such as day+month+year."""
    codes = [_CODES.get(name, "") for name in names]
    if not {"%Y", "%m", "%d"} <= {*codes} or not all(codes):
        return ()
    return ((("timestamp" if "%H" in codes else "date"), mark.replace("%", "%%").join(codes)),)


def _expect_order(rule: ExtractionRule, names: Sequence[str], mark: str, taken: Sequence[str]) -> None:
    """Check that nothing reads a day as a month: no date is written as year, day, month.

    Raises:
        BadInput: the names have this order, or the names do not decide, and all samples allow both orders.
    """
    if [*names[:3]] == ["year", "day", "month"]:
        better = "+".join(("year", "month", "day", *names[3:]))
        raise BadInput("no date has the order year, day, month", hint=f"Write --join {better}=NAME.")
    by_name = {*_DATE_PARTS} <= {*names} or [*names[1:2]] == ["month"] or [*names[2:3]] == ["day"]
    if len(names) != len(_DATE_PARTS) or by_name or not taken or mark not in {"-", "/", "_", ".", ""}:
        return
    rows = [[str(apply_rule(rule, path).values[name]) for name in names] for path in taken]
    dates = all(usual_date("-".join(row)) for row in rows)
    if dates and (names[1] == "day" or names[2] == "month"):
        message = f"{names[1]!r} would be read as the month, and {names[2]!r} as the day"
        raise BadInput(message, hint="Join in the order year, month, day, or rename the fields first.")
    if dates and all(usual_date("-".join((row[0], row[2], row[1]))) for row in rows):
        hint = f"Rename the fields to month and day first, or give samples with a {names[2]} over 12."
        raise BadInput(f"is {names[1]!r} or {names[2]!r} the month? The samples allow both", hint=hint)


def split(rule: ExtractionRule, name: str, mark: str, new: Sequence[str], samples: Sequence[str]) -> ExtractionRule:
    """Return the rule with a field cut at each `mark` into the fields `new`, of text. The last one keeps further marks.

    All are normalised and described as the field was. They are null where it was null.

    Raises:
        BadInput: a name is taken, the field has no pattern with one group, some sample has fewer marks, or a text that
            means null, or the default, cannot be cut like the values.
    """
    _expect_field(rule, name)
    if not mark or len(new) < 2:
        raise BadInput("to split needs a text between the parts, and two names or more", hint="Write --split id=-:a,b.")
    field = next(field for field in rule.fields if field.name == name)
    _expect_new(rule, new, but=name)
    parted = _parted(field)
    if parted is None or field.rest:
        hint = "Use --example PATH FIELD=VALUE."
        raise BadInput(f"the pattern of {name!r} cannot be cut: {field.pattern!r}", hint=hint)
    before, _, after = parted
    defaults = _split_default(field, mark, len(new))
    parts = [f"[^{quoted_in_set(mark)}]+?" if len(mark) == 1 else ".+?"] * (len(new) - 1) + [".+"]
    whole = replace(field, type="string", format=None, nulls=(), unit="", optional=field.optional or bool(field.nulls))
    fields: list[Field] = []
    for number, one in enumerate(new):
        inner = quoted(mark).join(f"({part})" if at == number else part for at, part in enumerate(parts))
        kept = None if number and field.normalize == "strip_leading_zeros" else field.normalize
        own = replace(whole, name=one, pattern=f"{before}{inner}{after}", normalize=kept, default=defaults[number])
        fields.append(own)
    at = rule.fields.index(field)
    changed = replace(rule, fields=(*rule.fields[:at], *fields, *rule.fields[at + 1 :]))
    lost = [path for path in samples if loses(rule, changed, path)]
    if lost:
        raise BadInput(f"{name!r} of {lost[0]!r} cannot be cut at {mark!r}", hint="Choose another mark.")
    return changed


def _split_default(field: Field, mark: str, count: int) -> Sequence[JSON]:
    """Return the defaults of the parts of a field.

    Raises:
        BadInput: its default has not that many parts, or a text that means null has some.
    """
    cut = next((text for text in field.nulls if mark in text), None)
    if cut is not None:
        hint = "Choose another mark, or take the text out of the list 'null'."
        raise BadInput(f"{cut!r} means null in {field.name!r}, and has the mark {mark!r}", hint=hint)
    if field.default is None:
        return [None] * count
    parts = field.default.split(mark, count - 1) if isinstance(field.default, str) else []
    if len(parts) != count or field.nulls:
        message = f"the default {field.default!r} of {field.name!r} cannot be cut into {counted(count, 'part')}"
        raise BadInput(message, hint="Make it 'default: null' first.")
    return [*parts]


def with_example(
    rule: ExtractionRule,
    path: str,
    labels: Mapping[str, JSON],
    samples: Sequence[str],
    *,
    starts: Mapping[str, int] | None = None,
) -> ExtractionRule:
    """Return the rule with the fields that a labelled path shows, found in all samples that the rule matches.

    Fields that have the value already stay as they are.

    `starts` are the places in the path at which values start, by field; otherwise the first match is used.

    Raises:
        BadInput: the rule does not match the path, or no pattern finds a value.
    """
    before = apply_rule(rule, path)
    if before.status == "UNMATCHED":
        raise BadInput(f"the rule does not match {path!r}", hint="Give a path that it matches.")
    given = {**before.values, **dict.fromkeys(starts or ())}
    labels = {name: wanted for name, wanted in labels.items() if given.get(name) != wanted or wanted is None}
    taken = [one for one in samples if apply_rule(rule, one).status != "UNMATCHED"]
    rows = [locate(one).absolute[1:].split("/") for one in dict.fromkeys((path, *taken))]
    rows = [row for row in rows if len(row) == len(rows[0])]
    places = {name: _place(path, start) for name, start in (starts or {}).items()}
    found = {column.name: column for column in columns_by_example(rows, 0, labels, places=places)}
    for name in labels:
        if name not in found:
            raise BadInput(f"no pattern finds {name}={labels[name]!r} in {path!r} and the other samples", hint=_FIND)
    fields = map(field_of, found.values())
    kept = [field for field in rule.fields if field.name not in found]
    return replace(rule, fields=(*kept, *fields))


def _place(path: str, start: int) -> tuple[int, int]:
    """Return the segment of a character of a path, counted from the end, and its number in the segment."""
    return -1 - path.count("/", start), start - (path.rfind("/", 0, start) + 1)


def with_constant(rule: ExtractionRule, word: str, name: str) -> ExtractionRule:
    """Return the rule with a field of a word that its glob fixes, so that the word may vary.

    Raises:
        BadInput: the word is not in exactly one segment of the glob, or the depth of that segment is not fixed.
    """
    _expect_name(name)
    _expect_unused(name, rule.fields)
    segments = rule.glob.text.split("/")
    literal = re.compile(rf"(?<![0-9A-Za-z]){re.escape(escaped(word))}(?![0-9A-Za-z])")
    places = [at for at, part in enumerate(segments) if len(literal.findall(part)) == 1]
    if len(places) != 1 or "**" in segments[places[0] + 1 :]:
        hint = "Give a word that the glob has once, below its last '**'; or use --example PATH FIELD=VALUE."
        raise BadInput(f"{word!r} is not a constant of one segment of {rule.glob.text!r}", hint=hint)
    (at,) = places
    source: Source = "filename" if at == len(segments) - 1 else at - len(segments)
    changed = literal.sub("*", segments[at])
    inner = "[0-9]+" if word.isdigit() else "[0-9A-Za-z]+" if word.isascii() and word.isalnum() else ".+?"
    pattern = None if changed == "*" else f"^{_literal_pattern(segments[at], word, inner)}$"
    here = [number for number, field in enumerate(rule.fields) if field.source == source]
    fields = list(rule.fields)
    for number in here:
        fields[number], pattern = _opened(fields[number], word, inner)
    kind, form, _ = type_of((word,))
    new = Field(name=name, source=source, pattern=pattern, type=kind, format=form)
    fields.insert(here[0] if here else len(fields), new)
    glob = parse_glob("/".join((*segments[:at], changed, *segments[at + 1 :])))
    return replace(rule, glob=glob, fields=tuple(fields))


def _opened(field: Field, word: str, inner: str) -> tuple[Field, str]:
    """Return a field whose pattern no longer fixes a word, and the pattern of the adjacent word."""
    parted, own = _parted(field), field.pattern or ""
    literal = re.compile(rf"(?<![0-9A-Za-z]){re.escape(quoted(word))}(?![0-9A-Za-z])")
    if parted is None or len(literal.findall(own)) != 1:
        raise BadInput(f"the pattern {own!r} of {field.name!r} does not have {word!r} once", hint=_FIND)
    before, value, after = parted
    beside = literal.sub(lambda _hit: f"({inner})", f"{before}(?:{value}){after}")
    return replace(field, pattern=literal.sub(lambda _hit: inner, own)), beside


def _literal_pattern(part: str, word: str, inner: str) -> str:
    """Return the regular expression of a segment of a glob, with a group in place of a word."""
    before, _, after = part.partition(escaped(word))
    return f"{glob_pattern(before) if before else ''}({inner}){glob_pattern(after) if after else ''}"


def with_shape(rule: ExtractionRule, path: str, samples: Sequence[str]) -> ExtractionRule:
    """Return the rule with a further rule for a path that it does not match, and for the samples of the same form.

    Fields of the further rule that hold the same values as those of the first have their names and types.

    Raises:
        BadInput: the rule matches the path, or no rule of its own is found for it.
    """
    if apply_rule(rule, path).status != "UNMATCHED":
        raise BadInput(f"the rule matches {path!r}", hint="Give a path that it does not match.")
    form = form_of(locate(path).absolute[1:].split("/"))
    same = [one for one in samples if apply_rule(rule, one).status == "UNMATCHED"]
    same = [one for one in same if form_of(locate(one).absolute[1:].split("/")) == form]
    same = list(dict.fromkeys((path, *same)))
    found = detect(same)
    if not found or apply_rule(found[0].rule, path).status != "COMPLETE":
        raise BadInput(f"no rule is found for {path!r}", hint="Give more samples of its form.")
    names = {rule.name, *(one.name for one in rule.others)}
    taken = [one for one in samples if apply_rule(replace(rule, others=()), one).status == "COMPLETE"]
    second = replace(_alike(found[0], same, rule, taken), order=len(rule.others) + 1)
    if second.name in names:
        second = replace(second, name=f"{second.name}_{second.order + 1}")
    return replace(rule, others=(*rule.others, second))


def _alike(found: RuleCandidate, paths: Sequence[str], rule: ExtractionRule, taken: Sequence[str]) -> ExtractionRule:
    """Return the rule of a candidate with the names and types of the fields of a rule that takes other paths."""
    rows, others = ([locate(one).absolute[1:].split("/") for one in several] for several in (paths, taken))
    known = [KnownColumn(one, others) for field in rule.fields if (one := _column_of(field, others)) is not None]
    away = {*found.left, *found.noise}
    matched = [row for row in rows if path_of(row) not in away]
    columns = named_alike(found.columns, matched, known, {one.name for one in rule.fields}) if taken else found.columns
    return write_rule(found.rule.glob.text, columns, name=found.rule.name)


def _column_of(field: Field, rows: Sequence[Sequence[str]]) -> Column | None:
    """Return the column of a field that is in one segment counted from the end, with the texts of paths, or None."""
    place = -1 if field.source == "filename" else field.source
    if field.rest or not isinstance(place, int) or place >= 0 or any(len(row) < -place for row in rows):
        return None
    hits = [re.search(field.pattern or "^(.*)$", row[place], re.DOTALL) for row in rows]
    return Column(
        name=field.name,
        source=field.source,
        pattern=field.pattern,
        values=tuple(None if hit is None else hit[1] for hit in hits),
        type=field.type,
        format=field.format,
        nulls=field.nulls,
        normalize=field.normalize,
    )


_JOINED_TYPES: tuple[tuple[FieldType, str | None], ...] = (("date", None), ("timestamp", None))
_DATE_PARTS = ("year", "month", "day")
_CODES = {"year": "%Y", "month": "%m", "day": "%d", "hour": "%H", "minute": "%M", "second": "%S"}
_FIND = "Give a value that is in one segment of the path, as it is written there."
_GROUP = re.compile(r"(?<!\\)\((?!\?)")


def _parted(field: Field) -> tuple[str, str, str] | None:
    """Return the pattern of a field before, inside and after its one group, or None if there is not exactly one."""
    pattern = field.pattern or "^(.+)$"
    opened = [found.start() for found in _GROUP.finditer(pattern)]
    if len(opened) != 1:
        return None
    depth, at = 1, opened[0] + 1
    while at < len(pattern) and depth:
        if pattern[at] == "\\":
            at += 1
        elif pattern[at] in "()":
            depth += 1 if pattern[at] == "(" else -1
        at += 1
    return (pattern[: opened[0]], pattern[opened[0] + 1 : at - 1], pattern[at:]) if not depth else None


def _in_all_shapes(rule: ExtractionRule, change: Callable[[ExtractionRule], ExtractionRule]) -> ExtractionRule:
    changed = change(rule)
    others = tuple(map(change, rule.others))
    return replace(changed, others=others)


def _expect_new(rule: ExtractionRule, names: Sequence[str], *, but: str) -> None:
    """Check names of new fields, of which `but` may be one, as that field is replaced.

    Raises:
        BadInput: one is invalid, taken or given twice.
    """
    rest = [field for field in rule.fields if field.name != but]
    for at, one in enumerate(names):
        _expect_name(one)
        _expect_unused(one, rest)
        if one in names[:at]:
            raise BadInput(f"{one!r} is given twice", hint="Give each part a name of its own.")


def _expect_unused(name: str, fields: Sequence[Field]) -> None:
    if any(field.name == name for field in fields):
        raise BadInput(f"there already is a field {name!r}", hint="Drop or rename it first.")


def _expect_name(name: str) -> None:
    if not NAME.fullmatch(name):
        raise BadInput(f"{name!r} is no name of a field", hint="Use lower-case letters, digits and underscores.")


def _expect_field(rule: ExtractionRule, name: str) -> None:
    names = list(dict.fromkeys(field.name for one in (rule, *rule.others) for field in one.fields))
    if name not in names:
        meant = closest(name, names)
        hint = f"Write {meant!r}." if meant else f"There are {', '.join(names) or 'no fields'}."
        raise BadInput(f"there is no field {name!r}", hint=hint)
