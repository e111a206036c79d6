"""Reads a model's answer about the detector's columns, notes every problem, and builds the rule."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Final

from retouch.errors import BadInput
from retouch.recipes.rule.asking.redactor import UNKNOWN
from retouch.recipes.rule.detecting.writing import write_rule
from retouch.recipes.rule.editing import dropped, merged, renamed, with_constant
from retouch.recipes.rule.errors import PartError
from retouch.recipes.rule.judging.recut import ColumnChange, Misfit, Part, fields_of
from retouch.recipes.rule.language.dates import date_reader, timestamp_reader
from retouch.recipes.rule.language.field_schema import MOST_DESCRIPTION, MOST_UNIT
from retouch.recipes.rule.language.model import Field, FieldPart
from retouch.recipes.rule.language.names import NAME, as_name, closest
from retouch.recipes.rule.language.values import NORMALIZERS, NUMBERS, TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from retouch.recipes.rule.asking.table import Table
    from retouch.recipes.rule.language.model import ExtractionRule
    from retouch.recipes.rule.language.notes import Notes
    from retouch.recipes.rule.language.values import FieldType, Normalize
    from retouch.recipes.rule.language.yaml_nodes import YamlEntry, YamlNode

KEYS: Final = ("name", "tag", "columns", "joined", "constants", "shapes", "about", "beyond")
OF_JOINED: Final = ("of", "name", "with", "type", "format")
OF_CONSTANT: Final = ("text", "name")
OF_SHAPE: Final = ("of", "name", "drop")
OF_ABOUT: Final = ("field", "description", "unit")
OF_COLUMN: Final = ("of", "name", "type", "format", "normalize", "optional", "parts", "drop")
_QUOTED = re.compile(r"[`\"]([^`\"]+)[`\"]|(?<![0-9A-Za-z])'([^']+)'(?![0-9A-Za-z])")
OF_PART: Final = ("name", "type", "format", "normalize", "chars", "optional", "before", "after")


class ColumnsReader:
    """Reads one answer against the table of its prompt.

    `reveal` replaces stand-ins by the original text. What a description quotes is in one of the `paths`.
    """

    def __init__(
        self, root: YamlNode, table: Table, notes: Notes, reveal: Callable[[str], str], paths: Sequence[str]
    ) -> None:
        self._paths = paths
        self._root = root
        self._table = table
        self._notes = notes
        self._reveal = reveal
        self._seen: set[str] = set()
        self._changes: list[ColumnChange] = []

    def rule(self) -> tuple[ExtractionRule | None, tuple[str, ...]]:
        """Return the rule (None if there is a problem), and the fields that, according to the model, no rule can
        extract.
        """
        entries = _Entries(self._root, "", self._notes)
        entries.only(KEYS)
        name, tag = entries.name("name"), entries.name("tag")
        beyond = tuple(entries.texts("beyond"))
        fields = self._fields(entries.items("columns"))
        fields += [one for item in self._numbered(entries, "joined") if (one := self._joined(*item)) is not None]
        self._expect_distinct(fields)
        others = self._shapes(entries)
        if self._notes.has_errors():
            return None, beyond
        rule = write_rule(self._table.candidate.rule.glob.text, (), name=self._reveal(name or "") or self._name())
        tag = as_name(self._reveal(tag)) if tag else rule.tag
        rule = self._described(self._with_constants(replace(rule, fields=tuple(fields), tag=tag), entries), entries)
        others = tuple(self._changed_alike(one, rule) for one in others)
        return (None if self._notes.has_errors() else replace(rule, others=others)), beyond

    def _numbered(self, entries: _Entries, key: str) -> list[tuple[YamlNode, str]]:
        """Return the objects of a list with their places, and note the other items."""
        found: list[tuple[YamlNode, str]] = []
        for number, item in enumerate(entries.items(key)):
            path = f"{key}[{number}]"
            if item.kind == "mapping":
                found.append((item, path))
            else:
                hint = "Write an object with the keys of the example."
                self._notes.add("SCHEMA_VIOLATION", "an entry is no object", item, path=path, suggestion=hint)
        return found

    def _joined(self, item: YamlNode, path: str) -> Field | None:
        """Return a field that is made of several columns, which can be of different parts of the path."""
        entries = _Entries(item, path, self._notes)
        entries.only(OF_JOINED)
        name, keys = entries.name("name", required=True), entries.texts("of")
        kind, form = entries.kind() or "string", entries.format()
        if len(keys) < 2 or not set(keys) <= set(self._table.columns):
            hint = f"Name two or more of {', '.join(self._table.columns)}."
            message = "'of' does not name several columns"
            self._notes.add("SCHEMA_VIOLATION", message, item, path=f"{path}.of", suggestion=hint)
            return None
        first, *rest = (self._table.columns[key] for key in keys)
        return Field(
            name=as_name(self._reveal(name or "")),
            source=first.source,
            pattern=first.pattern,
            type=kind,
            format=form if kind in {"date", "timestamp"} else None,
            optional=first.optional or any(one.optional for one in rest),
            rest=tuple(FieldPart(source=one.source, pattern=one.pattern) for one in rest),
            join=self._reveal(entries.text("with") or ""),
        )

    def _with_constants(self, rule: ExtractionRule, top: _Entries) -> ExtractionRule:
        """Return the rule with a field for each text that may vary according to the model."""
        for item, path in self._numbered(top, "constants"):
            entries = _Entries(item, path, self._notes)
            entries.only(OF_CONSTANT)
            name, text = entries.name("name", required=True), entries.text("text")
            try:
                rule = with_constant(rule, self._reveal(text or ""), as_name(self._reveal(name or "")))
            except BadInput as error:
                self._notes.add("SCHEMA_VIOLATION", error.message, item, path=path, suggestion=error.hint or "")
        return rule

    def _described(self, rule: ExtractionRule, top: _Entries) -> ExtractionRule:
        """Return the rule with the model's statements about its fields."""
        fields = {field.name: field for field in rule.fields}
        for item, path in self._numbered(top, "about"):
            entries = _Entries(item, path, self._notes)
            entries.only(OF_ABOUT)
            name = as_name(self._reveal(entries.name("field", required=True) or ""))
            description, unit = self._description(entries), self._reveal(entries.line("unit", MOST_UNIT))
            if name not in fields:
                hint = f"There are {', '.join(fields)}."
                self._notes.add("SCHEMA_VIOLATION", f"there is no field {name!r}", item, path=path, suggestion=hint)
                continue
            if unit and fields[name].type not in NUMBERS:  # it is in the value, as in "250Hz"
                description, unit = f"{description} ({unit})".strip()[:MOST_DESCRIPTION], ""
            fields[name] = replace(fields[name], description=description, unit=unit)
        return replace(rule, fields=tuple(fields.values()))

    def _description(self, entries: _Entries) -> str:
        """Return the description, and note a quoted value that no sample has: it would be made up."""
        text = self._reveal(entries.line("description", MOST_DESCRIPTION))
        for quoted in filter(None, (word for found in _QUOTED.findall(text) for word in found)):
            if not any(quoted in path for path in self._paths):
                hint = "Quote a value of the table, or describe the field without one."
                entries.note_invalid("description", f"no sample has {quoted!r}", hint)
        return text

    def _shapes(self, top: _Entries) -> tuple[ExtractionRule, ...]:
        """Return the further shapes, with the names that the model gives them, without those that it drops."""
        kept = {one.name: one for one in self._table.candidate.rule.others}
        for item, path in self._numbered(top, "shapes"):
            entries = _Entries(item, path, self._notes)
            entries.only(OF_SHAPE)
            of, name = self._reveal(entries.text("of") or ""), entries.name("name")
            if of not in kept:
                hint = f"There are {', '.join(kept)}." if kept else "Leave 'shapes' out: the samples have one shape."
                self._notes.add("SCHEMA_VIOLATION", f"there is no shape {of!r}", item, path=path, suggestion=hint)
            elif entries.flag("drop"):
                del kept[of]
            elif name:
                named = as_name(self._reveal(name))
                kept[of] = replace(kept[of], name=named, tag=named)
        return tuple(kept.values())

    def _changed_alike(self, shape: ExtractionRule, first: ExtractionRule) -> ExtractionRule:
        """Return a further shape with what the answer states about the columns that it shares with the first one."""
        for change in self._changes:
            names = [self._table.columns[key].name for key in change.of]
            if not change.parts and set(names) <= {field.name for field in shape.fields}:
                with suppress(BadInput):  # for example, the new name is in use there
                    shape = _changed(shape, names, change, self._reveal(change.name or ""))
        known = {field.name: field for field in first.fields}
        described = (replace(one, description=known[one.name].description) if one.name in known else one
                     for one in shape.fields)  # fmt: skip
        return replace(shape, fields=tuple(described))

    def _name(self) -> str:
        return self._table.candidate.rule.name

    def _fields(self, items: Sequence[YamlNode]) -> list[Field]:
        """Return the fields in the order of the table. Columns that the answer does not mention stay unchanged."""
        by_first: dict[str, list[Field]] = {}
        for number, item in enumerate(items):
            change = self._column_change(item, f"columns[{number}]")
            if change is not None:
                self._changes.append(change)
                by_first.setdefault(change.of[0], []).extend(self._changed_fields(change, item, f"columns[{number}]"))
        fields: list[Field] = []
        for key, column in self._table.columns.items():
            fields += by_first.get(key, [])
            if key not in self._seen:
                fields += fields_of(ColumnChange(of=(key,)), [column])
        return fields

    def _expect_distinct(self, fields: Sequence[Field]) -> None:
        names = [field.name for field in fields]
        for name in dict.fromkeys(name for name in names if names.count(name) > 1):
            message = f"two fields are called {name!r}"
            self._notes.add(
                "SCHEMA_VIOLATION", message, self._root, path="columns", suggestion="Give each its own name."
            )

    def _changed_fields(self, change: ColumnChange, item: YamlNode, path: str) -> list[Field]:
        try:
            fields = fields_of(change, [self._table.columns[key] for key in change.of])
        except Misfit as misfit:
            self._notes.add("SCHEMA_VIOLATION", str(misfit), item, path=path, suggestion=misfit.hint)
            return []
        return [replace(field, name=as_name(self._reveal(field.name))) for field in fields]

    def _column_change(self, item: YamlNode, path: str) -> ColumnChange | None:
        if item.kind != "mapping":
            hint = 'Write {"of": ["c1"], "name": "..."}.'
            self._notes.add("SCHEMA_VIOLATION", "an entry is no object", item, path=path, suggestion=hint)
            return None
        entries = _Entries(item, path, self._notes)
        entries.only(OF_COLUMN)
        of = self._column_ids(entries, item, path)
        if not of:
            return None
        return ColumnChange(
            of=of,
            name=entries.name("name"),
            type=entries.kind(),
            format=entries.format(),
            normalize=entries.normalize(),
            optional=entries.flag("optional"),
            parts=self._parts(entries.items("parts"), path),
            drop=entries.flag("drop") or False,
        )

    def _column_ids(self, entries: _Entries, item: YamlNode, path: str) -> tuple[str, ...]:
        keys = entries.texts("of")
        known = list(self._table.columns)
        if not keys:
            hint = f"There are {', '.join(known)}."
            self._notes.add("SCHEMA_VIOLATION", "'of' names no column", item, path=f"{path}.of", suggestion=hint)
        for key in keys:
            if key not in self._table.columns or key in self._seen:
                message = f"the column {key!r} is named twice" if key in self._seen else f"there is no column {key!r}"
                hint = "Cut a column with 'parts'." if key in self._seen else f"There are {', '.join(known)}."
                self._notes.add("SCHEMA_VIOLATION", message, item, path=f"{path}.of", suggestion=hint)
                return ()
            self._seen.add(key)
        return tuple(keys)

    def _parts(self, items: Sequence[YamlNode], path: str) -> tuple[Part | str, ...]:
        parts: list[Part | str] = []
        for number, item in enumerate(items):
            here = f"{path}.parts[{number}]"
            if item.kind == "scalar":
                parts.append(self._reveal(str(item.text)))
                continue
            entries = _Entries(item, here, self._notes)
            entries.only(OF_PART)
            name = entries.name("name", required=True)
            part = Part(
                name=name or "",
                type=entries.kind(),
                format=entries.format(),
                normalize=entries.normalize(),
                chars=entries.whole_number("chars"),
                optional=entries.flag("optional") or False,
                before=self._reveal(entries.text("before") or ""),
                after=self._reveal(entries.text("after") or ""),
            )
            parts.append(part)
        if items and not any(isinstance(part, Part) for part in parts):
            hint = 'Give a field in it: {"name": "..."}.'
            self._notes.add("SCHEMA_VIOLATION", "the parts hold no field", items[0], path=path, suggestion=hint)
        return tuple(parts)


def _changed(shape: ExtractionRule, names: Sequence[str], change: ColumnChange, new: str) -> ExtractionRule:
    if change.drop:
        return reduce(dropped, names, shape) if len(shape.fields) > len(names) else shape
    if len(names) > 1:
        return merged(shape, names, as_name(new) if new else names[0])
    return renamed(shape, names[0], as_name(new)) if new and as_name(new) != names[0] else shape


class _Entries:
    """The entries of one object, read by key. A null means the same as leaving the key out."""

    def __init__(self, node: YamlNode, path: str, notes: Notes) -> None:
        self._node = node
        self._path = path
        self._notes = notes
        self._by_key = {one.key: one for one in node.entries if one.node.kind != "scalar" or one.node.value is not None}

    def only(self, known: Sequence[str]) -> None:
        """Note every key that is not in `known`."""
        for entry in self._node.entries:
            if entry.key not in known:
                meant = closest(entry.key, known)
                hint = f"Write {meant!r}." if meant else f"There are {', '.join(known)}."
                self._notes.add(
                    "UNKNOWN_KEY", f"there is no key {entry.key!r}", entry, path=self._at(entry.key), suggestion=hint
                )

    def _at(self, key: str) -> str:
        return f"{self._path}.{key}" if self._path else key

    def _note_invalid(self, entry: YamlEntry, message: str, hint: str) -> None:
        self._notes.add("SCHEMA_VIOLATION", message, entry.node, path=self._at(entry.key), suggestion=hint)

    def text(self, key: str) -> str | None:
        """Return the text of `key`, or None."""
        entry = self._by_key.get(key)
        if entry is None:
            return None
        if entry.node.kind != "scalar":
            self._note_invalid(entry, f"{key!r} is a {entry.node.kind}, not a text", "Give one text.")
            return None
        return entry.node.text

    def name(self, key: str, *, required: bool = False) -> str | None:
        """Return the name of `key`, or None."""
        text = self.text(key)
        if text is None:
            if required:
                message = f"{key!r} is missing"
                self._notes.add(
                    "SCHEMA_VIOLATION", message, self._node, path=self._at(key), suggestion="Name the field."
                )
            return None
        if UNKNOWN in text:  # a copied placeholder, which has no meaning
            text = as_name(text.replace(UNKNOWN, ""))
        if not NAME.fullmatch(text):
            message = f"{text!r} is no name: lower-case letters, digits and underscores, a letter first"
            self._note_invalid(self._by_key[key], message, f"Write {as_name(text)!r}.")
        return text

    def kind(self) -> FieldType | None:
        """Return the type, or None."""
        text = self.text("type")
        if text is None or text in TYPES:
            return text
        self._note_invalid(self._by_key["type"], f"there is no type {text!r}", f"There are {', '.join(TYPES)}.")
        return None

    def normalize(self) -> Normalize | None:
        """Return the normaliser, or None."""
        text = self.text("normalize")
        if text is None or text in NORMALIZERS:
            return text
        self._note_invalid(self._by_key["normalize"], f"there is no {text!r}", f"There are {', '.join(NORMALIZERS)}.")
        return None

    def format(self) -> str | None:
        """Return the date format, or None."""
        text = self.text("format")
        if text is None:
            return None
        try:
            (timestamp_reader if self._by_key.get("type") and self.text("type") == "timestamp" else date_reader)(text)
        except PartError as error:
            self._note_invalid(self._by_key["format"], error.message, error.hint)
        return text

    def line(self, key: str, most: int) -> str:
        """Return the text of `key`, one line of at most `most` characters, or ""."""
        text = self.text(key) or ""
        if len(text) <= most and text.isprintable():
            return text
        self.note_invalid(key, f"{key!r} is not one line of at most {most} characters", "Shorten it.")
        return ""

    def note_invalid(self, key: str, message: str, hint: str) -> None:
        """Note a problem of the entry `key`, which is there."""
        self._note_invalid(self._by_key[key], message, hint)

    def flag(self, key: str) -> bool | None:
        """Return the boolean of `key`, or None."""
        entry = self._by_key.get(key)
        if entry is None or isinstance(entry.node.value, bool):
            return None if entry is None else bool(entry.node.value)
        self._note_invalid(entry, f"{key!r} is neither true nor false", "Write true or false.")
        return None

    def whole_number(self, key: str) -> int:
        """Return the number of `key`, from 1 to 1000, or 0."""
        entry = self._by_key.get(key)
        if entry is None:
            return 0
        value = entry.node.value
        if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 1000:
            return value
        self._note_invalid(entry, f"{key!r} is no number from 1 to 1000", "Count the characters.")
        return 0

    def items(self, key: str) -> Sequence[YamlNode]:
        """Return the items of the list `key`, or none."""
        entry = self._by_key.get(key)
        if entry is None:
            return ()
        if entry.node.kind != "list":
            self._note_invalid(entry, f"{key!r} is no list", "Put it between [ and ].")
            return ()
        return entry.node.items

    def texts(self, key: str) -> list[str]:
        """Return the strings of the list `key`, or its single string."""
        entry = self._by_key.get(key)
        if entry is not None and entry.node.kind == "scalar":
            text = self.text(key)
            return [] if text is None else [text]
        return [item.text for item in self.items(key) if item.kind == "scalar"]
