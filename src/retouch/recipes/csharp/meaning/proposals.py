"""The proposals in an answer: their form, and their JSON Schema, which is the same for every type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, get_args

from retouch.errors import Invalid
from retouch.recipes.csharp.ir import MeaningProposal
from retouch.text import json_in

if TYPE_CHECKING:
    from collections.abc import Mapping

Kind: TypeAlias = Literal[
    "name",
    "summary",
    "remarks",
    "value_name",
    "key",
    "type",
    "enum_value",
    "nullable",
    "personal",
    "write_only",
    "question",
]
KINDS: tuple[str, ...] = get_args(Kind)
NO_PROPOSALS = '{"proposals": []}'
_FIELDS = ("kind", "member", "value", "quote")
_MOST = 500

ANSWER_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "proposals": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "kind": {"type": "string", "enum": list(KINDS)},
                    "member": {"type": "string"},
                    "value": {"type": "string"},
                    "quote": {"type": "string"},
                },
                "required": list(_FIELDS),
                "additionalProperties": False,
            },
        }
    },
    "required": ["proposals"],
    "additionalProperties": False,
}


def proposals_in(text: str) -> list[MeaningProposal]:
    """Return the proposals of an answer, in order.

    Raises:
        Invalid: it is not JSON of the requested form. Code STRUCTURAL.
    """
    try:
        answer = json_in(text)
    except Invalid as invalid:
        raise Invalid("STRUCTURAL", invalid.message, fix=_FIX, line=invalid.line) from None
    found = answer.get("proposals") if isinstance(answer, dict) and len(answer) == 1 else None
    if not isinstance(found, list):
        raise Invalid("STRUCTURAL", "the answer is not an object with the key 'proposals' alone", fix=_FIX)
    if len(found) > _MOST:
        raise Invalid("STRUCTURAL", f"the answer has {len(found)} proposals", fix=f"Make at most {_MOST}.")
    return [_proposal(number, one) for number, one in enumerate(found)]


_FIX = 'Reply with {"proposals": [...]}, each an object with the texts kind, member, value and quote.'


def _proposal(number: int, given: object) -> MeaningProposal:
    one = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
    if set(one) != set(_FIELDS) or not all(isinstance(text, str) for text in one.values()):
        raise Invalid("STRUCTURAL", f"proposal {number} does not have the form of one", fix=_FIX)
    if one["kind"] not in KINDS:
        known = ", ".join(KINDS)
        raise Invalid("STRUCTURAL", f"proposal {number} has the kind {one['kind']!r}", fix=f"It is one of: {known}.")
    return MeaningProposal(**one)
