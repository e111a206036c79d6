"""Builds rules from the nodes of a YAML text, and notes every problem."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from retouch.recipes.rule.errors import PartError
from retouch.recipes.rule.globs.parsing import Alternative, Glob, parse_glob
from retouch.recipes.rule.language.field_schema import read_field
from retouch.recipes.rule.language.model import DEFAULT_PRIORITY, ExtractionRule
from retouch.recipes.rule.language.names import NAME, as_name, closest

if TYPE_CHECKING:
    from retouch.recipes.rule.language.model import Field
    from retouch.recipes.rule.language.notes import Notes
    from retouch.recipes.rule.language.yaml_nodes import YamlEntry, YamlNode

KEYS: Final = ("version", "name", "glob", "extract", "tag", "priority")
MAX_PRIORITY: Final = 1_000
NEWEST: Final = 2

_NOT_YET = ("tag_conditions", "semantic", "validate")
_NO_GLOB = Glob(text="", alternatives=(Alternative(absolute=False, segments=()),))


def read_rules(root: YamlNode, notes: Notes) -> list[ExtractionRule]:
    """Return the rules of a document: a mapping, or a version and a list of mappings.

    If `notes` has an error, the rules are only useful for finding further errors.
    """
    if root.kind != "mapping":
        message = f"a rule is a mapping; this is {'a list' if root.kind == 'list' else 'a single value'}"
        hint = "Write 'name: ...', 'glob: ...' and 'extract:', one in a line."
        notes.add("NOT_A_MAPPING", message, root, suggestion=hint)
        return []
    by_key = {one.key: one for one in root.entries}
    if "rules" not in by_key:
        reader = _Reader(root, notes, "")
        return [reader.rule(version=reader.version())]
    return _rules_of_list(by_key, root, notes)


def _rules_of_list(by_key: dict[str, YamlEntry], root: YamlNode, notes: Notes) -> list[ExtractionRule]:
    reader = _Reader(root, notes, "")
    if "version" not in by_key:
        hint = "Write 'version: 1' before it."
        notes.add("SCHEMA_VIOLATION", "a list of rules begins with its version", root, path="version", suggestion=hint)
    version = reader.version()
    for entry in root.entries:
        if entry.key not in {"version", "rules"}:
            hint = "Put it into a rule of the list."
            notes.add(
                "UNKNOWN_KEY", f"{entry.key!r} stands beside a list of rules", entry, path=entry.key, suggestion=hint
            )
    node = by_key["rules"].node
    if node.kind != "list" or not node.items:
        hint = "Begin each rule with '- name: ...'."
        notes.add("SCHEMA_VIOLATION", "'rules' is no list of rules", node, path="rules", suggestion=hint)
        return []
    rules: list[ExtractionRule] = []
    seen: set[str] = set()
    for number, item in enumerate(node.items):
        path = f"rules[{number}]"
        if item.kind != "mapping":
            notes.add(
                "NOT_A_MAPPING", "a rule is a mapping", item, path=path, suggestion="Begin it with '- name: ...'."
            )
            continue
        rule = _Reader(item, notes, f"{path}.").rule(version=version)
        rule = replace(rule, order=number if version == NEWEST else 0)
        if rule.name in seen:
            message = f"two rules are called {rule.name!r}"
            notes.add("DUPLICATE_RULE_NAME", message, item, path=f"{path}.name", suggestion="Give one another name.")
        seen.add(rule.name)
        rules.append(rule)
    return rules


class _Reader:
    """Reads the entries of one rule."""

    def __init__(self, node: YamlNode, notes: Notes, prefix: str) -> None:
        self._node = node
        self._notes = notes
        self._prefix = prefix
        self._by_key = {one.key: one for one in node.entries}

    def rule(self, *, version: int) -> ExtractionRule:
        """Return the rule, which uses what `version` of the rule format has."""
        if self._prefix:
            version = max(version, self.version())
        fields = self._fields(version)
        rule = ExtractionRule(
            name=self._name("name", required=True) or "",
            glob=self._glob(),
            fields=fields,
            tag=self._name("tag", required=False),
            priority=self._priority(),
        )
        self._other_keys()
        if not fields and "tag" not in self._by_key:
            message = "the rule takes no field and sets no tag"
            hint = "Add 'extract:' with fields, or 'tag:'."
            path = f"{self._prefix}extract"
            self._notes.add("EMPTY_RULE", message, self._node, path=path, suggestion=hint, severity="warning")
        return rule

    def _note_invalid(self, at: YamlNode | YamlEntry, key: str, message: str, suggestion: str) -> None:
        path = f"{self._prefix}{key}"
        self._notes.add("SCHEMA_VIOLATION", message, at, path=path, suggestion=suggestion)

    def version(self) -> int:
        """Return the version, and note one that is not a known whole number."""
        entry = self._by_key.get("version")
        if entry is None:
            return 1
        value = entry.node.value
        if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= NEWEST:
            return value
        shown = entry.node.text or f"a {entry.node.kind}"
        known = f"the versions of the rule format are 1 and {NEWEST}"
        self._note_invalid(entry.node, "version", f"the version is {shown!r}; {known}", "Write 'version: 1'.")
        return 1

    def _text(self, key: str, *, required: bool) -> tuple[str, YamlNode] | None:
        entry = self._by_key.get(key)
        if entry is None:
            if required:
                self._note_invalid(self._node, key, f"{key!r} is missing", f"Add '{key}: ...'.")
            return None
        node = entry.node
        if isinstance(node.value, str) and node.value:
            return node.value, node
        if node.kind == "scalar" and node.value not in {None, ""}:
            message = f"{node.text!r} is read as {'true or false' if isinstance(node.value, bool) else 'a number'}"
            self._note_invalid(node, key, f"{message}, and {key!r} is a text", f"Write '{key}: \"{node.text}\"'.")
        elif node.kind == "scalar":
            self._note_invalid(node, key, f"{key!r} is empty", "Give it a value." if required else "Leave it out.")
        else:
            self._note_invalid(node, key, f"{key!r} is a {node.kind}, not a text", "Put the text in single quotes.")
        return None

    def _name(self, key: str, *, required: bool) -> str | None:
        found = self._text(key, required=required)
        if found is None:
            return None
        text, node = found
        if not NAME.fullmatch(text):
            message = f"{text!r} is no {key}: lower-case letters, digits and underscores, a letter first"
            self._note_invalid(node, key, message, f"Write {as_name(text)!r}.")
        return text

    def _glob(self) -> Glob:
        found = self._text("glob", required=True)
        if found is None:
            return _NO_GLOB
        text, node = found
        try:
            glob = parse_glob(text)
        except PartError as error:
            self._notes.part(error, node, path=f"{self._prefix}glob")
            return _NO_GLOB
        for warning in glob.warnings:
            self._notes.part(warning, node, path=f"{self._prefix}glob", severity="warning")
        return glob

    def _fields(self, version: int) -> tuple[Field, ...]:
        entry = self._by_key.get("extract")
        if entry is None or (entry.node.kind == "scalar" and entry.node.value is None):
            return ()
        if entry.node.kind != "mapping":
            hint = "Write each field as 'name:' with 'from: ...' indented below it."
            self._note_invalid(entry.node, "extract", "'extract' is no mapping of fields", hint)
            return ()
        found = (read_field(one, self._notes, prefix=self._prefix, version=version) for one in entry.node.entries)
        return tuple(one for one in found if one is not None)

    def _priority(self) -> int:
        entry = self._by_key.get("priority")
        if entry is None:
            return DEFAULT_PRIORITY
        value = entry.node.value
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_PRIORITY:
            message = f"the priority {entry.node.text!r} is no whole number from 0 to {MAX_PRIORITY:,}"
            self._note_invalid(
                entry.node, "priority", message, f"Write a number; the lowest wins, {DEFAULT_PRIORITY} is usual."
            )
            return DEFAULT_PRIORITY
        return value

    def _other_keys(self) -> None:
        for entry in self._node.entries:
            path = f"{self._prefix}{entry.key}"
            if entry.key in _NOT_YET:
                message = f"{entry.key!r} is not supported"
                hint = "The entry has no effect; leave it out."
                self._notes.add("UNKNOWN_KEY", message, entry, path=path, suggestion=hint, severity="warning")
            elif entry.key not in KEYS:
                meant = {"fields": "extract", "pattern": "glob"}.get(entry.key) or closest(entry.key, KEYS)
                hint = f"Write {meant!r}." if meant else f"A rule has {', '.join(KEYS)}."
                self._notes.add("UNKNOWN_KEY", f"a rule has no {entry.key!r}", entry, path=path, suggestion=hint)
