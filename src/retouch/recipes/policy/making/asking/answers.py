"""Extracts JSON of a given schema from a model's reply."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel

from retouch.engine.types import Tier
from retouch.errors import BadInput, Invalid
from retouch.recipes.policy.language.files import checked
from retouch.text import json_values

if TYPE_CHECKING:
    from json import JSONDecodeError

    from retouch._lib.json_text import JSON

M = TypeVar("M", bound=BaseModel)


def parse_json_with_schema(text: str, schema: type[M]) -> M:
    """Return the first JSON value in a model's reply that has the shape of `schema`. Text around it is ignored.

    Fenced blocks are tried first, then the whole reply, then objects and lists inside prose, the longest first.

    Raises:
        Invalid: there is no JSON (tier 1), or none of that shape (tier 2). The message describes the
            error of the most likely value.
    """
    wrong: BadInput | None = None
    broken: list[JSONDecodeError] = []
    of_object = False
    for value in json_values(text, broken):
        try:
            return _shaped(schema, value)
        except BadInput as error:
            if wrong is None or (isinstance(value, dict) and not of_object):
                wrong, of_object = error, isinstance(value, dict)
    if wrong is not None:
        raise Invalid("WRONG_SHAPE", wrong.message, fix="Answer in the requested form.", tier=Tier.SCHEMA)
    first = broken[0] if broken else None
    where = f"line {first.lineno} column {first.colno}: {first.msg}" if first is not None else "it is empty"
    raise Invalid("INVALID_JSON", f"the reply is not JSON: {where}", fix="Reply with one JSON value and nothing else.")


def _shaped(schema: type[M], value: JSON) -> M:
    return checked(schema, value, name="the answer")
