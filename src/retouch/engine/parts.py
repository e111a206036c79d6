"""A page in two parts: two smaller calls whose answers become the answer of the page.

The parts exist only at call time, as attempts of the same page. `prompts.json` and the page numbers do not change. The
second part is requested when the first one has arrived. If a run is interrupted between them, the first one is read
from the ledger. The answer of the page is checked like any other.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from retouch._lib.json_text import escaped_surrogates
from retouch.engine.repair import Instead
from retouch.engine.types import FIRST_PART, TWO_PARTS
from retouch.errors import Invalid
from retouch.text import is_contradicted, json_values

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.engine.types import Attempt, Prompt

PARTS_REFUSED = "PARTS_REFUSED"
_ACROSS_PROPERTIES = frozenset({
    "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "$ref", "minProperties", "maxProperties", "propertyNames",
    "patternProperties", "dependentRequired", "dependentSchemas", "dependencies", "enum", "const",
})  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class PageParts:
    """The prompts of both parts of a page, with its own unit and number, and how their answers are joined.

    `join` gets the answers in the order of the prompts and returns that of the page. It may raise `Invalid`.
    """

    prompts: tuple[Prompt, Prompt]
    join: Callable[[str, str], str]

    def repair(self) -> TwoParts:
        """Return the call for the first part."""
        return TwoParts(prompt=self.prompts[0], parts=self)


@dataclass(frozen=True, kw_only=True)
class TwoParts(Instead):
    """One of the two calls for a page in two parts. `first` is the attempt at the first part, None for its own call."""

    parts: PageParts
    first: Attempt | None = None

    @property
    def why(self) -> str:
        """The `why` of its attempt."""
        return FIRST_PART if self.first is None else TWO_PARTS

    def fold(self, answer: str | None, reply: str) -> str:  # noqa: ARG002 - the protocol's signature
        """Return the answer of the page. Raises `Invalid` if the parts do not fit together."""
        if self.first is None or self.first.reply is None:
            raise Invalid(PARTS_REFUSED, "the second part of the page is missing")
        return self.parts.join(self.first.reply.text, reply)

    def after(self, attempt: Attempt) -> TwoParts | None:
        """Return the call for the second part, if `attempt` answered the first one."""
        if self.first is not None or attempt.reply is None or attempt.reply.finish != "end":
            return None
        return replace(self, prompt=self.parts.prompts[1], first=attempt)


def object_in_parts(prompt: Prompt) -> PageParts | None:
    """Return the parts of a page whose answer is a JSON object: the first half of its properties, and the second.

    None if the prompt has no answer schema, the object has fewer than two properties, or a rule of the schema concerns
    several properties at once.
    """
    schema = prompt.answer_schema
    properties: Mapping[str, Any] = (schema or {}).get("properties", {})
    if (
        schema is None
        or schema.get("type") != "object"
        or len(properties) < 2
        or not _ACROSS_PROPERTIES.isdisjoint(schema)
    ):
        return None
    names = list(properties)
    middle = (len(names) + 1) // 2
    halves = names[:middle], names[middle:]
    first, second = (_part(prompt, schema, half) for half in halves)

    def join(one: str, other: str) -> str:
        given = {**_own(one, *halves), **_own(other, *reversed(halves))}
        known = [name for name in names if name in given]
        whole = {name: given[name] for name in (*known, *given)}
        return escaped_surrogates(json.dumps(whole, ensure_ascii=False, allow_nan=False))

    return PageParts(prompts=(first, second), join=join)


def _part(prompt: Prompt, schema: Mapping[str, Any], names: Sequence[str]) -> Prompt:
    required = [name for name in schema.get("required", ()) if name in names]
    own = {**schema, "properties": {name: schema["properties"][name] for name in names}, "required": required}
    text = _instructions().replace("NAMES", ", ".join(json.dumps(name, ensure_ascii=False) for name in names))
    return replace(prompt, user=f"{prompt.user}\n\n{text}", answer_schema=own)


def _own(text: str, names: Sequence[str], others: Sequence[str]) -> dict[str, JSON]:
    """Return the properties of one part, unknown ones too. Those of the other part have a call of their own."""
    found = [one for one in json_values(text) if isinstance(one, dict)]
    if not found:
        message = f"the part with {', '.join(names)} is no JSON object"
        raise Invalid(PARTS_REFUSED, message, fix="Reply with one JSON object.")
    if is_contradicted(dict(found[0]), text, names):
        message = f"the part with {', '.join(names)} has several JSON objects"
        raise Invalid(PARTS_REFUSED, message, fix="Reply with one JSON object and nothing else.")
    return {name: value for name, value in found[0].items() if name not in others}


@cache
def _instructions() -> str:
    return files("retouch.engine").joinpath("part.txt").read_text(encoding="utf-8").rstrip()
