"""Values that a description explains: `1` of "0 = none, 1 = urgent", and `fra1` of "fra1 (Frankfurt)"."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.deciding.json_schema import has_only
from retouch.recipes.policy.english.words.lexicon import word_set
from retouch.recipes.policy.english.words.sentences import CallAction

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.words.sentences import Sentence, ToolPart
    from retouch.recipes.policy.language.values import Limit, Scalar

_EXPLAINED = re.compile(
    r"(?<![\w.-])['\"`]?(?P<code>[\w.-]*\w)['\"`]? ?(?:=|:|\u2013|means|stands for|is) ?"
    r"(?P<word>[A-Za-z][a-z]+(?: [A-Za-z][a-z]+)?)(?=[,;.)\n]|$| and | or )"
)
_IN_BRACKETS = re.compile(
    r"(?<![\w.-])['\"`]?(?P<code>[\w.-]*\w)['\"`]? \((?P<word>[A-Za-z][a-z]+(?: [A-Za-z][a-z]+)?)\)"
)
_NO_WORDS = word_set("none no any all default other unknown unset the default only not")


def explained_values(told: str, schema: Mapping[str, JSON]) -> dict[str, Scalar]:
    """Return the values of a schema by the words that a description explains them with. Empty for fewer than two.

    They are those that the schema lists, or the numbers of "0 = none, 1 = urgent, 2 = high".
    """
    values = schema.get("enum")
    if values is None and has_only(schema, "integer", "number"):
        numbers = [int(found["code"]) for found in _EXPLAINED.finditer(told) if found["code"].isdecimal()]
        values = numbers if len(numbers) > 2 else []
    return _explained(told, values) if isinstance(values, list) else {}


def _explained(told: str, values: Sequence[JSON]) -> dict[str, Scalar]:
    known = {str(value): value for value in values if isinstance(value, (str, int)) and not isinstance(value, bool)}
    for pattern in (_EXPLAINED, _IN_BRACKETS):
        pairs = [(found["word"].lower(), found["code"]) for found in pattern.finditer(told)]
        pairs = [(word, code) for word, code in pairs if code in known and word not in {each.lower() for each in known}]
        if len({code for _, code in pairs}) == len({word for word, _ in pairs}) == len(pairs) >= min(2, len(known)) > 0:
            return {word: known[code] for word, code in pairs if word not in _NO_WORDS}
    return {}


def with_codes(sentences: Iterable[Sentence], tools: Iterable[KnownTool]) -> tuple[Sentence, ...]:
    """Return sentences with the values that the tools take for the words that explain them, and numbers for digits."""
    known = {one.key: one for one in tools if one.coded or one.numbers}
    return tuple(_with_codes(one, known) for one in sentences) if known else tuple(sentences)


def _with_codes(sentence: Sentence, known: Mapping[tuple[str, str], KnownTool]) -> Sentence:
    if not isinstance(sentence.action, CallAction):
        return sentence
    parts = tuple(_in_part(part, known.get((part.server, part.tool))) for part in sentence.action.parts)
    return replace(sentence, action=CallAction(parts=parts))


def _in_part(part: ToolPart, one: KnownTool | None) -> ToolPart:
    if one is None:
        return part
    where = tuple(_in_limit(limit, one) for limit in part.where)
    return replace(part, where=where, unless=tuple(_in_limit(limit, one) for limit in part.unless))


def _as_number(value: Scalar) -> Scalar:
    return int(value) if isinstance(value, str) and value.isdigit() else value


def _in_limit(limit: Limit, one: KnownTool) -> Limit:
    if limit.among and limit.arg in one.numbers:
        return replace(limit, among=tuple(map(_as_number, limit.among)))
    codes = one.coded.get(limit.arg or "")
    if not codes or not limit.among:
        return limit
    return replace(limit, among=tuple(codes.get(str(value).lower(), value) for value in limit.among))
