"""Reads one field of a rule."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from retouch.recipes.rule.errors import PartError
from retouch.recipes.rule.language.dates import ISO_NAMES, date_reader, timestamp_reader
from retouch.recipes.rule.language.model import Field, FieldPart
from retouch.recipes.rule.language.names import NAME, as_name, closest
from retouch.recipes.rule.language.values import NORMALIZERS, NUMBERS, SINCE_VERSION_2, TYPES, fitting_default
from retouch.recipes.rule.language.yaml_nodes import YamlEntry
from retouch.recipes.rule.regexes.parsing import parse_regex
from retouch.recipes.rule.regexes.search import regex_find

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.language.model import Source
    from retouch.recipes.rule.language.notes import Notes
    from retouch.recipes.rule.language.values import FieldType, Normalize
    from retouch.recipes.rule.language.yaml_nodes import YamlNode

KEYS = ("from", "pattern", "type", "format", "normalize", "default")
KEYS_OF_2 = (*KEYS, "null", "parts", "join", "description", "unit")
KEYS_OF_PART = ("from", "pattern")

LEAST_PARTS = 2
MOST_DESCRIPTION = 200
MOST_UNIT = 20
_SEGMENT = re.compile(r"segment\((-?[0-9]{1,4})\)")
_LIKE_SEGMENT = re.compile(r"\w*\s*[(\[]\s*([+-]?[0-9]+)\s*[)\]]")
_TEXTS: tuple[Literal["filename", "full_path", "rel_path"], ...] = ("filename", "full_path", "rel_path")
_OTHER_SOURCES = {
    "path": "full_path",
    "basename": "filename",
    "stem": "filename",
    "name": "filename",
    "file": "filename",
    "relative_path": "rel_path",
    "absolute_path": "full_path",
    "parent": "segment(-2)",
    "folder": "segment(-2)",
    "dirname": "segment(-2)",
}
_OTHER_TYPES = {
    "int": "integer",
    "number": "integer",
    "long": "integer",
    "str": "string",
    "text": "string",
    "double": "float",
    "real": "float",
    "numeric": "decimal",
    "bool": "string",
    "boolean": "string",
    "datetime": "timestamp",
    "time": "timestamp",
    "guid": "uuid",
}
_NOT_YET = {
    "validate": "Values are not validated: the entry has no effect.",
    "semantic": "Semantic types belong to another product: the entry has no effect.",
    "tag_conditions": "Conditions for tags are not supported: the entry has no effect.",
}


def read_field(entry: YamlEntry, notes: Notes, *, prefix: str = "", version: int = 1) -> Field | None:
    """Return the field that an entry of `extract` describes in `version` of the rule format.

    If it is invalid, add to `notes` and return None.
    """
    path = f"{prefix}extract.{entry.key}"
    if not NAME.fullmatch(entry.key):
        message = f"{entry.key!r} is no name of a field: lower-case letters, digits and underscores, a letter first"
        notes.add("SCHEMA_VIOLATION", message, entry, path=path, suggestion=f"Write {as_name(entry.key)!r}.")
    if entry.node.kind != "mapping":
        shown = _shown(entry.node)
        hint = f"Write '{entry.key}: {{from: {_source_like(shown) or 'filename'}}}'."
        notes.add("SCHEMA_VIOLATION", f"the field {entry.key!r} is no mapping", entry.node, path=path, suggestion=hint)
        return None
    reader = _FieldReader(entry, path, notes, version)
    first, *rest = reader.parts() or [FieldPart(source=reader.source(), pattern=reader.pattern())]
    kind = reader.kind()
    optional, default = reader.default(kind)
    found = Field(
        name=entry.key,
        source=first.source,
        pattern=first.pattern,
        type=kind,
        format=reader.format(kind),
        normalize=reader.normalize(),
        optional=optional,
        default=default,
        nulls=reader.nulls(),
        rest=tuple(rest),
        join=reader.join(),
        description=reader.line("description", MOST_DESCRIPTION),
        unit=reader.unit(kind),
    )
    reader.other_keys()
    return found


def _shown(node: YamlNode) -> str:
    return node.text if node.kind == "scalar" else f"a {node.kind}"


def _source_like(text: str) -> str:
    """Return the source that an unknown word most likely means, or ""."""
    word = text.strip().lower()
    if like := _LIKE_SEGMENT.fullmatch(word):
        return f"segment({int(like[1])})"
    return _OTHER_SOURCES.get(word) or closest(word, _TEXTS)


class _FieldReader:
    """Reads the entries of one field."""

    def __init__(
        self, entry: YamlEntry, path: str, notes: Notes, version: int, known: tuple[str, ...] | None = None
    ) -> None:
        self._entry = entry
        self._path = path
        self._notes = notes
        self._version = version
        self._known = known or (KEYS if version == 1 else KEYS_OF_2)
        self._by_key = {one.key: one for one in entry.node.entries}

    def _note_invalid(self, key: str, message: str, suggestion: str, code: str = "SCHEMA_VIOLATION") -> None:
        at = self._by_key[key].node
        self._notes.add(code, message, at, path=f"{self._path}.{key}", suggestion=suggestion)

    def _text(self, key: str) -> str | None:
        """Return the text of an entry, or None if it is missing or not a text."""
        entry = self._by_key.get(key)
        if entry is None:
            return None
        value = entry.node.value
        if isinstance(value, str):
            return value
        if entry.node.kind == "scalar" and value is None:
            self._note_invalid(key, f"{key!r} is empty", "Give it a value, or leave it out.")
        elif entry.node.kind == "scalar":
            message = f"{entry.node.text!r} is read as {'true or false' if isinstance(value, bool) else 'a number'}"
            self._note_invalid(key, f"{message}, and {key!r} is a text", f"Write '{key}: \"{entry.node.text}\"'.")
        else:
            self._note_invalid(key, f"{key!r} is a {entry.node.kind}, not a text", "Put the text in single quotes.")
        return None

    def source(self) -> Source:
        """Return the entry `from`."""
        known = (
            "Write one of segment(-1) (the file name), segment(-2) (its folder), ..., filename, full_path, rel_path."
        )
        if "from" not in self._by_key:
            message = f"the field {self._entry.key!r} does not say where it comes from: 'from' is missing"
            self._notes.add("SCHEMA_VIOLATION", message, self._entry, path=self._path, suggestion=known)
            return "filename"
        text = self._text("from")
        if text is None:
            return "filename"
        if text in _TEXTS:
            return text
        segment = _SEGMENT.fullmatch(text)
        if segment is None:
            meant = _source_like(text)
            self._note_invalid("from", f"{text!r} is no source", f"Write {meant!r}." if meant else known)
            return "filename"
        number = int(segment[1])
        if number >= 0:
            message = f"{text!r} counts from the first folder below the root: it moves with the root"
            node = self._by_key["from"].node
            hint = "Count from the end: segment(-1) is the file name, segment(-2) its folder."
            path = f"{self._path}.from"
            self._notes.add("SEGMENT_FROM_START", message, node, path=path, suggestion=hint, severity="warning")
        return number

    def parts(self) -> list[FieldPart]:
        """Return the entry `parts`, or none if the field has one source."""
        entry = self._by_key.get("parts") if "parts" in self._known else None
        if entry is None:
            return []
        if len(entry.node.items) < LEAST_PARTS or any(one.kind != "mapping" for one in entry.node.items):
            hint = "Write parts: [{from: segment(-3)}, {from: segment(-2)}]."
            self._note_invalid("parts", "'parts' is no list of at least two sources", hint)
            return []
        for key in KEYS_OF_PART:
            if key in self._by_key:
                self._note_invalid(key, f"{key!r} belongs into each of the 'parts'", "Move it into a part.")
        found: list[FieldPart] = []
        for number, item in enumerate(entry.node.items):
            one = YamlEntry(key=self._entry.key, line=item.line, column=item.column, node=item)
            reader = _FieldReader(one, f"{self._path}.parts.{number}", self._notes, self._version, KEYS_OF_PART)
            found.append(FieldPart(source=reader.source(), pattern=reader.pattern()))
            reader.other_keys()
        return found

    def join(self) -> str:
        """Return the entry `join`, the text between the parts."""
        if "join" not in self._known or "join" not in self._by_key:
            return ""
        if "parts" not in self._by_key:
            self._note_invalid("join", "'join' has no 'parts' to join", "Add 'parts', or leave 'join' out.")
        return self._text("join") or ""

    def kind(self) -> FieldType:
        """Return the entry `type`."""
        text = self._text("type")
        if text is None:
            return "string"
        if text in SINCE_VERSION_2 and self._version == 1:
            self._note_invalid("type", f"{text!r} is of version 2 of the rule format", "Write 'version: 2' at the top.")
            return "string"
        if text in TYPES:
            return text
        meant = _OTHER_TYPES.get(text.lower()) or closest(text, TYPES)
        known = f"There are {', '.join(TYPES)}."
        self._note_invalid("type", f"{text!r} is no type", f"Write {meant!r}. {known}" if meant else known)
        return "string"

    def normalize(self) -> Normalize | None:
        """Return the entry `normalize`."""
        text = self._text("normalize")
        if text in SINCE_VERSION_2 and self._version == 1:
            message = f"{text!r} is of version 2 of the rule format"
            self._note_invalid("normalize", message, "Write 'version: 2' at the top.")
            return None
        if text is None or text in NORMALIZERS:
            return text
        meant = closest(text, NORMALIZERS)
        known = f"There are {', '.join(NORMALIZERS)}."
        self._note_invalid(
            "normalize", f"{text!r} is no way to normalise", f"Write {meant!r}. {known}" if meant else known
        )
        return None

    def pattern(self) -> str | None:
        """Return the entry `pattern`."""
        text = self._text("pattern")
        if text is None:
            return None
        node, path = self._by_key["pattern"].node, f"{self._path}.pattern"
        try:
            groups = parse_regex(text).groups
            regex_find(text)
        except PartError as error:
            self._notes.part(error, node, path=path)
            return None
        if groups == 0:
            message = "the pattern has no group: the whole match is the value"
            self._notes.add("REGEX_NO_GROUP", message, node, path=path, severity="info")
        elif groups > 1:
            message = f"the pattern has {groups} groups; only the first is used"
            hint = "Write '(?:...)' for groups that are not the value."
            self._notes.add("REGEX_MANY_GROUPS", message, node, path=path, suggestion=hint, severity="warning")
        return text

    def format(self, kind: FieldType) -> str | None:
        """Return the entry `format`, or None for ISO dates."""
        text = self._text("format")
        if text is None:
            return None
        if kind not in {"date", "timestamp"}:
            self._note_invalid(
                "format", f"a format is for dates, and the type is {kind}", "Write 'type: date' as well."
            )
            return None
        try:
            (date_reader if kind == "date" else timestamp_reader)(text)
        except PartError as error:
            self._notes.part(error, self._by_key["format"].node, path=f"{self._path}.format")
            return None
        return None if text in ISO_NAMES else text

    def default(self, kind: FieldType) -> tuple[bool, JSON]:
        """Return whether there is an entry `default`, and its value."""
        entry = self._by_key.get("default")
        if entry is None:
            return False, None
        node = entry.node
        if node.kind != "scalar":
            self._note_invalid("default", f"the default is a {node.kind}", "Write one value, or null.", "BAD_DEFAULT")
            return True, None
        try:
            return True, fitting_default(node.value, kind)
        except ValueError as error:
            hint = (
                f"Write '{node.text}' in quotes, or null."
                if kind == "string"
                else "Write a value of that type, or null."
            )
            message = f"the default {node.text!r} does not fit the type {kind}: {error}"
            self._note_invalid("default", message, hint, "BAD_DEFAULT")
            return True, None

    def nulls(self) -> tuple[str, ...]:
        """Return the strings that mean null."""
        entry = self._by_key.get("null") if "null" in self._known else None
        if entry is None:
            return ()
        items = [entry.node] if entry.node.kind == "scalar" else entry.node.items
        texts = [item.text for item in items if item.kind == "scalar"]
        if not texts or len(texts) < len(items):
            message, hint = "'null' is no list of texts", "Write null: ['__HIVE_DEFAULT_PARTITION__']."
            self._note_invalid("null", message, hint)
        return tuple(texts)

    def line(self, key: str, most: int) -> str:
        """Return the entry `key`, a text of one line with at most `most` characters, or ""."""
        text = (self._text(key) if key in self._known else None) or ""
        if len(text) > most or not text.isprintable():
            self._note_invalid(key, f"{key!r} is not one line of at most {most} characters", "Shorten it.")
            return ""
        return text

    def unit(self, kind: FieldType) -> str:
        """Return the entry `unit`, which only numbers have, or ""."""
        text = self.line("unit", MOST_UNIT)
        if text and kind not in NUMBERS:
            self._note_invalid("unit", f"a unit is for numbers, and the type is {kind}", "Leave 'unit' out.")
            return ""
        return text

    def other_keys(self) -> None:
        """Note unknown entries."""
        for entry in self._entry.node.entries:
            if entry.key not in self._known:
                self._other_key(entry)

    def _other_key(self, entry: YamlEntry) -> None:
        path = f"{self._path}.{entry.key}"
        if entry.key == "capture" and entry.node.value == 1:
            hint = "Leave 'capture' out: the first group is always the value."
            self._notes.add(
                "UNKNOWN_KEY", "'capture' is not needed", entry, path=path, suggestion=hint, severity="warning"
            )
        elif entry.key in _NOT_YET:
            message = f"{entry.key!r} is not supported"
            hint = _NOT_YET[entry.key]
            self._notes.add("UNKNOWN_KEY", message, entry, path=path, suggestion=hint, severity="warning")
        elif entry.key in KEYS_OF_2:
            message = f"{entry.key!r} is of version 2 of the rule format"
            self._notes.add("UNKNOWN_KEY", message, entry, path=path, suggestion="Write 'version: 2' at the top.")
        else:
            meant = {"source": "from", "regex": "pattern", "transform": "normalize"}.get(entry.key) or closest(
                entry.key, self._known
            )
            hint = f"Write {meant!r}." if meant else f"A field has {', '.join(self._known)}."
            self._notes.add("UNKNOWN_KEY", f"a field has no {entry.key!r}", entry, path=path, suggestion=hint)
