"""The prompts of the extract recipe: one per record, or one per slice of a long document."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import StrictUndefined, TemplateError, UndefinedError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from retouch._lib.json_text import JSON, plain_pieces
from retouch.engine.types import Prompt
from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from jinja2 import Template

    from retouch.recipes.extract.source import ExtractShard, InputRecord, SliceRule

RECORD = "RECORD:\n{{ record | tojson }}"
"""The prompt if none is given: the fields of the record as JSON."""

SCHEMA_HEADING = "JSON SCHEMA:"
_KEPT_TEMPLATES = 32
_HALVES = re.compile("[\ud800-\udfff]")


@cache
def prompt_text(name: str) -> str:
    """Return the prompt text called `name`."""
    return files("retouch.recipes.extract").joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8").rstrip()


def plan(shard: ExtractShard) -> Iterator[Prompt]:
    """Yield the prompts of a shard, record by record.

    Raises:
        BadInput: the template names a field that a record lacks, or cannot be read.
    """
    template = compiled(shard.prompt)
    system, schema = system_text(shard), shard.shape.answer_schema
    for record in shard.records:
        parts = slices_of(record, shard.slices)
        for page, fields in enumerate(parts, 1):
            user = rendered(template, record.key, fields)
            if len(parts) > 1:
                user += f"\n\nThis is part {page} of {len(parts)} of the document. Answer for this part only."
            yield Prompt(
                unit=record.key, page=page, total_pages=len(parts), system=system, user=user, answer_schema=schema
            )


def system_text(shard: ExtractShard) -> str:
    """Return the text that all prompts share: the rules, the user's own text, the schema, and the examples."""
    parts = [prompt_text("system"), *([prompt_text("quotes")] if shard.quotes else [])]
    parts += [shard.system.strip()] if shard.system.strip() else []
    parts.append(f"{SCHEMA_HEADING}\n{compact(dict(shard.schema))}")
    template = compiled(shard.prompt)
    for number, example in enumerate(shard.examples, 1):
        shown = rendered(template, f"example {number}", example.fields)
        parts.append(f"EXAMPLE {number}\n{shown}\nANSWER {number}\n{compact(example.value)}")
    return "\n\n".join(parts)


@lru_cache(maxsize=_KEPT_TEMPLATES)
def compiled(text: str) -> Template:
    """Return the compiled Jinja template of a prompt.

    Raises:
        BadInput: it is not a Jinja template.
    """
    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, autoescape=False, keep_trailing_newline=False
    )
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "sort_keys": False}
    environment.filters["tojson"] = compact
    try:
        template = environment.from_string(text)
    except TemplateError as error:
        line = getattr(error, "lineno", None)
        where = f"line {line} of " if line else ""
        raise BadInput(f"{where}the prompt is not a Jinja template: {error.message}", hint="See --prompt.") from error
    template.globals = dict(template.globals)  # a ChainMap, which each rendering would copy slowly
    return template


def rendered(template: Template, key: str, fields: Mapping[str, JSON]) -> str:
    """Return the prompt of one record. `record` has all its fields, and `key` is its key unless it has such a field.

    Raises:
        BadInput: the template names a field that the record lacks, or fails.
    """
    context: dict[str, Any] = {"key": key, **fields, "record": dict(fields)}
    try:
        return template.render(context).strip()
    except UndefinedError as error:
        known = ", ".join(fields) or "none"
        hint = f"The record has the fields {known}. Use {{{{ record.get('NAME', '') }}}} for one that may be missing."
        raise BadInput(f"the prompt cannot be made for the record {key!r}: {error.message}", hint=hint) from error
    except Exception as error:
        raise BadInput(
            f"the prompt cannot be made for the record {key!r}: {type(error).__name__}: {error}",
            hint="Correct the template, or the record.",
        ) from error


def slices_of(record: InputRecord, rule: SliceRule | None) -> Sequence[Mapping[str, JSON]]:
    """Return the fields of each page of a record: one page, or one per slice of its document.

    Raises:
        BadInput: the record has no text to slice.
    """
    if rule is None or not rule.lines:
        return (record.fields,)
    text = record.fields.get(rule.field)
    if not isinstance(text, str):
        hint = "Name the field that holds the document: --slice FIELD:LINES."
        raise BadInput(f"the record {record.key!r} has no text in its field {rule.field!r}", hint=hint)
    lines = text.splitlines(keepends=True)
    starts = range(0, len(lines), rule.lines) if lines else (0,)
    return [{**record.fields, rule.field: "".join(lines[start : start + rule.lines])} for start in starts]


def compact(value: JSON) -> str:
    """Return a value as JSON on one line, with all characters as they are."""
    return "".join(plain_pieces(value, 0))


def has_lone_surrogates(value: JSON) -> bool:
    """Return whether a text in a value has half of a surrogate pair, which no file and no request can hold."""
    text = compact(value)
    return not text.isascii() and _HALVES.search(text) is not None
