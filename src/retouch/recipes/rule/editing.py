"""Operations on a rule: rename, drop, merge, split and retype fields, and take fields from a labelled path.

Each operation takes a rule and sample paths, and returns the changed rule. The command `retouch rule edit` and the
wizard share them.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.errors import BadInput
from retouch.recipes.rule.applying.evaluation import apply_rule
from retouch.recipes.rule.applying.places import locate
from retouch.recipes.rule.detecting.by_example import columns_by_example
from retouch.recipes.rule.detecting.candidates import field_of
from retouch.recipes.rule.detecting.patterns import quoted, quoted_in_set
from retouch.recipes.rule.errors import PartError
from retouch.recipes.rule.language.dates import date_reader
from retouch.recipes.rule.language.model import Field
from retouch.recipes.rule.language.names import NAME, closest
from retouch.recipes.rule.language.values import TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.language.model import ExtractionRule


def renamed(rule: ExtractionRule, old: str, new: str) -> ExtractionRule:
    """Return the rule with the field `old` called `new`, in all shapes that have it.

    Raises:
        BadInput: there is no such field, or the new name is invalid or taken.
    """
    _expect_name(new)

    def change(one: ExtractionRule) -> ExtractionRule:
        names = [field.name for field in one.fields]
        if old in names and new in names:
            raise BadInput(f"there already is a field {new!r}", hint="Drop or rename it first.")
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
    """Return the rule with a field of another type: one of the types, or `date:FORMAT`.

    Raises:
        BadInput: there is no such field, type or format.
    """
    _expect_field(rule, name)
    word, _, form = kind.partition(":")
    known = next((one for one in TYPES if one == word), None)
    if known is None or (form and known != "date"):
        raise BadInput(f"there is no type {kind!r}", hint=f"There are {', '.join(TYPES)}, and 'date:%d-%m-%Y'.")
    if form:
        try:
            date_reader(form)
        except PartError as error:
            raise BadInput(f"the format {form!r} cannot be used: {error.message}", hint=error.hint) from error

    def change(one: ExtractionRule) -> ExtractionRule:
        fields = (replace(f, type=known, format=form or None) if f.name == name else f for f in one.fields)
        return replace(one, fields=tuple(fields))

    return _in_all_shapes(rule, change)


def merged(rule: ExtractionRule, names: Sequence[str], new: str) -> ExtractionRule:
    """Return the rule with adjacent fields of one segment joined to the text field `new`, with the text between them.

    Raises:
        BadInput: there are fewer than two fields, or they are not neighbours in one segment.
    """
    _expect_name(new)
    if len(names) < 2:
        raise BadInput("to merge needs two fields or more", hint="Write --merge year+number=id.")
    for name in names:
        _expect_field(rule, name)
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
    rest = [field for field in rule.fields if field.name not in names]
    at = next(number for number, field in enumerate(rule.fields) if field.name in names)
    if any(field.name == new for field in rest):
        raise BadInput(f"there already is a field {new!r}", hint="Drop or rename it first.")
    return replace(rule, fields=(*rest[:at], joined, *rest[at:]), evaluators={})


def split(rule: ExtractionRule, name: str, mark: str, new: Sequence[str], samples: Sequence[str]) -> ExtractionRule:
    """Return the rule with a field cut at each `mark` into the fields `new`, of text. The last one keeps further marks.

    Raises:
        BadInput: the field has no pattern with one group, or some sample has fewer marks.
    """
    _expect_field(rule, name)
    if not mark or len(new) < 2:
        raise BadInput("to split needs a text between the parts, and two names or more", hint="Write --split id=-:a,b.")
    for one in new:
        _expect_name(one)
    field = next(field for field in rule.fields if field.name == name)
    parted = _parted(field)
    if parted is None:
        hint = "Use --example PATH FIELD=VALUE."
        raise BadInput(f"the pattern of {name!r} cannot be cut: {field.pattern!r}", hint=hint)
    before, _, after = parted
    parts = [f"[^{quoted_in_set(mark)}]+?" if len(mark) == 1 else ".+?"] * (len(new) - 1) + [".+"]
    fields: list[Field] = []
    for number, one in enumerate(new):
        inner = quoted(mark).join(f"({part})" if at == number else part for at, part in enumerate(parts))
        fields.append(Field(name=one, source=field.source, pattern=f"{before}{inner}{after}"))
    at = rule.fields.index(field)
    changed = replace(rule, fields=(*rule.fields[:at], *fields, *rule.fields[at + 1 :]), evaluators={})
    lost = [path for path in samples if _loses(rule, changed, path)]
    if lost:
        raise BadInput(f"{name!r} of {lost[0]!r} cannot be cut at {mark!r}", hint="Choose another mark.")
    return changed


def with_example(rule: ExtractionRule, path: str, labels: Mapping[str, JSON], samples: Sequence[str]) -> ExtractionRule:
    """Return the rule with the fields that a labelled path shows, found in all samples that the rule matches.

    Raises:
        BadInput: the rule does not match the path, or no pattern finds a value.
    """
    if apply_rule(rule, path).status == "UNMATCHED":
        raise BadInput(f"the rule does not match {path!r}", hint="Give a path that it matches.")
    taken = [one for one in samples if apply_rule(rule, one).status != "UNMATCHED"]
    rows = [locate(one).absolute[1:].split("/") for one in dict.fromkeys((path, *taken))]
    rows = [row for row in rows if len(row) == len(rows[0])]
    found = {column.name: column for column in columns_by_example(rows, 0, labels)}
    for name in labels:
        if name not in found:
            raise BadInput(f"no pattern finds {name}={labels[name]!r} in {path!r} and the other samples", hint=_FIND)
    fields = map(field_of, found.values())
    kept = [field for field in rule.fields if field.name not in found]
    return replace(rule, fields=(*kept, *fields), evaluators={})


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


def _loses(before: ExtractionRule, after: ExtractionRule, path: str) -> bool:
    return apply_rule(before, path).status == "COMPLETE" and apply_rule(after, path).status != "COMPLETE"


def _in_all_shapes(rule: ExtractionRule, change: Callable[[ExtractionRule], ExtractionRule]) -> ExtractionRule:
    changed = change(rule)
    others = tuple(replace(change(one), evaluators={}) for one in rule.others)
    return replace(changed, others=others, evaluators={})


def _expect_name(name: str) -> None:
    if not NAME.fullmatch(name):
        raise BadInput(f"{name!r} is no name of a field", hint="Use lower-case letters, digits and underscores.")


def _expect_field(rule: ExtractionRule, name: str) -> None:
    names = list(dict.fromkeys(field.name for one in (rule, *rule.others) for field in one.fields))
    if name not in names:
        meant = closest(name, names)
        hint = f"Write {meant!r}." if meant else f"There are {', '.join(names) or 'no fields'}."
        raise BadInput(f"there is no field {name!r}", hint=hint)
