"""The offline model: it answers a prompt from the prompt's own text, with the detector."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from retouch.recipes.rule.asking.pages import COLUMNS, OUTPUT, SAMPLES
from retouch.recipes.rule.asking.table import rows_in
from retouch.recipes.rule.detecting.candidates import detect
from retouch.recipes.rule.language.render import render_rule
from retouch.text import fenced_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.engine.types import Prompt
    from retouch.recipes.rule.language.model import ExtractionRule, Field

_FORM = re.compile(rf"^{OUTPUT}(.+)$", re.MULTILINE)


def answer(prompt: Prompt) -> str:
    """Return the answer to a prompt of this recipe, in the form that the prompt requests."""
    form = _FORM.findall(prompt.user)[-1]
    if "Python" not in form and "YAML" not in form:
        return _unchanged_columns(rows_in(_block(prompt.user, COLUMNS)))
    rule = detect(_block(prompt.user, SAMPLES))[0].rule
    return f"```python\n{_function(rule)}```" if "Python" in form else f"```yaml\n{render_rule(rule)}```"


def _block(text: str, heading: str) -> list[str]:
    """Return the lines of the fenced block below a heading."""
    return fenced_blocks(text[text.index(f"{heading}") :])[0].text.split("\n")


def _unchanged_columns(rows: Sequence[dict[str, Any]]) -> str:
    """Return the columns unchanged, as the detector found them."""
    columns = [_entry(row) for row in rows if "id" in row]
    name = next((row["rule"] for row in rows if "rule" in row), "files")
    lines = ",\n  ".join(json.dumps(column, ensure_ascii=False) for column in columns)
    return f'```json\n{{"name": {json.dumps(name)},\n "columns": [\n  {lines}]}}\n```'


def _entry(row: dict[str, Any]) -> dict[str, Any]:
    entry: dict[str, Any] = {"of": [row["id"]], "name": row["name"], "type": row["type"]}
    for key in ("format", "optional"):
        if key in row:
            entry[key] = row[key]
    return entry


def _function(rule: ExtractionRule) -> str:
    """Return the code of a function that extracts what `rule` extracts."""
    lines = ["import re", "", "", "def extract(path: str) -> dict:"]
    lines += ['    parts = [part for part in path.replace("\\\\", "/").split("/") if part not in ("", ".")]']
    lines += ["    values = {}"]
    for field in rule.fields:
        lines += _field_lines(field)
    return "\n".join([*lines, "    return values", ""])


def _field_lines(field: Field) -> list[str]:
    at = field.source if isinstance(field.source, int) else -1
    text = f"parts[{at}]" if isinstance(field.source, int) or field.source == "filename" else '"/".join(parts)'
    pattern = field.pattern or "^(.*)$"
    value = "int(found.group(1))" if field.type == "integer" else "found.group(1)"
    there = "found and found.group(1)" if field.optional else "found"
    return [
        f"    found = re.search({pattern!r}, {text}) if len(parts) >= {abs(at)} else None",
        f"    values[{field.name!r}] = {value} if {there} else None",
    ]
