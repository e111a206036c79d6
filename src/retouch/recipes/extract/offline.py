"""Answers by rules, without a model: the fields of the record that have the names of the schema's properties."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

from retouch.recipes.extract.pages import SCHEMA_HEADING, compact

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON
    from retouch.engine.types import Prompt


def answer(prompt: Prompt) -> str:
    """Return the fields of the record in the prompt that the schema names. Nothing is invented.

    A field that the record lacks is left out, so that the schema finds it missing.
    """
    schema = _first_json(prompt.system.rpartition(f"{SCHEMA_HEADING}\n")[2])
    record = _first_json(prompt.user)
    if not isinstance(schema, dict) or not isinstance(record, dict):
        return "{}"
    properties = schema.get("properties")
    names = cast("dict[str, JSON]", properties) if isinstance(properties, dict) else {}
    return compact({name: record[name] for name in names if name in record})


def _first_json(text: str) -> JSON:
    start = text.find("{")
    if start < 0:
        return None
    try:
        found, _ = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return found
