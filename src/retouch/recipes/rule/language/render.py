"""Writes a rule as YAML that parses to the same rule."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.rule.language.model import DEFAULT_PRIORITY, FieldPart, version_of
from retouch.recipes.rule.language.names import NAME

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.language.model import ExtractionRule, Field, Source

_ALSO_A_VALUE = frozenset({"null", "true", "false"})


def render_rule(rule: ExtractionRule) -> str:
    """Return the text of a rule, or of a rule set, ending with a line end. `load_rule` reads the same rule from it.

    It is a bare mapping of version 1 if that version can express the rule, else of version 2.
    """
    if rule.others:
        items = [_item(one) for one in (replace(rule, others=()), *rule.others)]
        return "\n".join(["version: 2", "rules:", *items]) + "\n"
    return "\n".join([f"version: {version_of(rule)}", *_lines(rule)]) + "\n"


def _item(rule: ExtractionRule) -> str:
    first, *rest = _lines(rule)
    return "\n".join([f"  - {first}", *(f"    {line}" for line in rest)])


def _lines(rule: ExtractionRule) -> list[str]:
    lines = [f"name: {_plain_or_quoted(rule.name)}", f"glob: {_quoted(rule.glob.text)}"]
    if rule.fields:
        lines.append("extract:")
        for field in rule.fields:
            lines += _field(field)
    if rule.tag is not None:
        lines.append(f"tag: {_plain_or_quoted(rule.tag)}")
    if rule.priority != DEFAULT_PRIORITY:
        lines.append(f"priority: {rule.priority}")
    return lines


def _field(field: Field) -> list[str]:
    lines = [f"  {_plain_or_quoted(field.name)}:"]
    if field.rest:
        lines.append("    parts:")
        for part in (FieldPart(source=field.source, pattern=field.pattern), *field.rest):
            pattern = f", pattern: {_quoted(part.pattern)}" if part.pattern is not None else ""
            lines.append(f"      - {{from: {_source(part.source)}{pattern}}}")
        lines.append(f"    join: {_quoted(field.join)}")
    else:
        lines.append(f"    from: {_source(field.source)}")
        if field.pattern is not None:
            lines.append(f"    pattern: {_quoted(field.pattern)}")
    if field.normalize is not None:
        lines.append(f"    normalize: {field.normalize}")
    if field.type != "string":
        lines.append(f"    type: {field.type}")
    if field.format is not None:
        lines.append(f"    format: {_quoted(field.format)}")
    if field.nulls:
        lines.append(f"    null: [{', '.join(map(_quoted, field.nulls))}]")
    notes = {"description": field.description, "unit": field.unit}
    lines += [f"    {key}: {_quoted(text)}" for key, text in notes.items() if text]
    if field.optional:
        lines.append(f"    default: {_scalar(field.default)}")
    return lines


def _source(source: Source) -> str:
    return f"segment({source})" if isinstance(source, int) else source


def _scalar(value: JSON) -> str:
    return _quoted(value) if isinstance(value, str) else json.dumps(value)


def _plain_or_quoted(text: str) -> str:
    """Return a name, quoted if YAML would parse it as something else."""
    return text if NAME.fullmatch(text) and text not in _ALSO_A_VALUE else _quoted(text)


def _quoted(text: str) -> str:
    """Return a text in single quotes, or in double quotes if it has characters that single quotes do not allow."""
    if text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    escaped = (char if char.isprintable() and char not in '"\\' else _escaped(char) for char in text)
    return f'"{"".join(escaped)}"'


def _escaped(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    code = ord(char)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65_536 else f"\\U{code:08x}"
