"""Tiers 1 and 2: the JSON value of an answer, automatic fixes, and the schema."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from retouch.engine.recipe import Read
from retouch.engine.types import Issue, Tier
from retouch.errors import Invalid
from retouch.recipes.extract.fixes import fixed
from retouch.recipes.extract.pages import compact, has_lone_surrogates
from retouch.recipes.extract.pointers import ABSENT, part_at
from retouch.recipes.extract.slices import join_pages
from retouch.text import is_contradicted, is_same_json, json_in, json_values

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from json import JSONDecodeError

    from retouch._lib.json_text import JSON
    from retouch.recipes.extract.schemas import SchemaError
    from retouch.recipes.extract.slices import DifferentValue
    from retouch.recipes.extract.source import ExtractShard

VIOLATION, DIFFERENT = "SCHEMA_VIOLATION", "PARTS_DIFFER"
_NOT_QUOTED = "NO_QUOTES"


@dataclass(frozen=True, kw_only=True)
class Extracted:
    """The value of one record, and the quotations that support its parts, by JSON Pointer.

    `rows` is the number of rows on each page, if a long document was requested in slices.
    """

    value: JSON
    quotes: Mapping[str, str] = field(default_factory=dict[str, str])
    rows: tuple[int, ...] = ()


def read(shard: ExtractShard, key: str, pages: Sequence[str]) -> Read[Extracted]:
    """Return the value of a record, and the violations of the schema, which has been merged from all pages.

    Raises:
        Invalid: an answer is not JSON, or not an object with a value and its quotations.
    """
    found, different = _merged(shard, key, [_value_of(shard, answer_in(page, shard)) for page in pages])
    errors = shard.shape.errors(found.value)
    return Read(found, [*different, *(_issue(shard, key, error, pages=len(pages)) for error in errors)])


def mended(shard: ExtractShard, _key: str, pages: Sequence[str], issues: Sequence[Issue]) -> Sequence[str] | None:
    """Return the pages with automatic fixes of violations of the schema, None if there are none."""
    if len(pages) != 1 or not any(issue.code == VIOLATION for issue in issues):
        return None
    before = _value_of(shard, answer_in(pages[0], shard))
    value = fixed(before.value, shard.shape)
    if value is before.value:
        return None
    return [compact({"value": value, "quotes": dict(before.quotes)} if shard.quotes else value)]


def answer_in(reply: str, shard: ExtractShard) -> JSON:
    """Return the one JSON value of an answer.

    Raises:
        Invalid: there is none, or another value that may be meant instead: one with the same properties, also if it
            is cut off, or one that satisfies the schema as well, perhaps after automatic fixes.
    """
    broken: list[JSONDecodeError] = []
    found, *others = list(json_values(reply, broken)) or [json_in(reply)]  # which explains why there is none
    if "\\u" in reply and has_lone_surrogates(found):
        message = "a text of the answer has half of a surrogate pair, which is no character"
        raise Invalid("INVALID_JSON", message, fix="Write the character itself, or both halves.")
    if (others or broken) and _is_doubtful(found, others, reply, shard):
        message = "the answer contains two different values, and nothing says which one is meant"
        raise Invalid("SEVERAL_ANSWERS", message, fix="Answer with one JSON value and nothing else.")
    return found


def _is_doubtful(found: JSON, others: Sequence[JSON], reply: str, shard: ExtractShard) -> bool:
    if is_contradicted(found, reply, found.keys() if isinstance(found, dict) else ()):
        return True
    different = (one for one in others if not is_same_json(one, found))
    return any(_is_acceptable(one, shard) for one in different) and _is_acceptable(found, shard)


def _is_acceptable(answer: JSON, shard: ExtractShard) -> bool:
    if shard.quotes:
        if not isinstance(answer, dict) or "value" not in answer:
            return False
        answer = answer["value"]
    return shard.shape.is_valid(fixed(answer, shard.shape))


def _value_of(shard: ExtractShard, answer: JSON) -> Extracted:
    if not shard.quotes:
        return Extracted(value=answer)
    if not isinstance(answer, dict) or "value" not in answer or not isinstance(answer.get("quotes"), dict):
        fix = 'Answer with {"value": ..., "quotes": {...}}.'
        raise Invalid(_NOT_QUOTED, 'the answer is not an object with "value" and "quotes"', fix=fix)
    quotes = cast("dict[str, JSON]", answer["quotes"])
    return Extracted(value=answer["value"], quotes={name: one for name, one in quotes.items() if isinstance(one, str)})


def _merged(shard: ExtractShard, key: str, parts: Sequence[Extracted]) -> tuple[Extracted, list[Issue]]:
    """Return the value of all pages together, and the issues of pages that give different values for one part."""
    rule = shard.slices
    if rule is None or len(parts) == 1:
        return parts[0], []
    for part in parts:
        found = part_at(part.value, rule.rows)
        if not isinstance(found, list):
            missing = "has no array" if found is ABSENT else "has no array, but another value,"
            raise Invalid(VIOLATION, f"a part of the document {missing} at {rule.rows!r}", tier=2)
    joined = join_pages([(part.value, part.quotes) for part in parts], rule.rows)
    value = Extracted(value=joined.value, quotes=joined.quotes, rows=joined.counts)
    return value, [_disagreement(key, one) for one in joined.different]


def _disagreement(key: str, found: DifferentValue) -> Issue:
    where = found.pointer or "the value"
    what = f"it is {compact(found.value)} in this part of the document, and {compact(found.other)} in part {found.page}"
    return Issue(
        code=DIFFERENT,
        message=f"{where}: {what}",
        tier=Tier.SCHEMA,
        unit=key,
        page=found.own_page,
        detail={"pointer": found.pointer},
        fix="If this part does not state it, leave it out or use null.",
    )


def repairable_at(shard: ExtractShard, *pointers: str, pages: int = 1) -> tuple[str, ...]:
    """Return the JSON Pointers of the parts of an answer to request alone; none for parts of several pages together.

    The whole value is no part.
    """
    before = "/value" if shard.quotes else ""
    return tuple(f"{before}{one}" for one in pointers if one) if pages == 1 and all(pointers) else ()


def _issue(shard: ExtractShard, key: str, error: SchemaError, *, pages: int) -> Issue:
    detail: dict[str, JSON] = {"pointer": error.pointer, "keyword": error.keyword}
    where = error.pointer or "the value"
    return Issue(
        code=VIOLATION,
        message=f"{where}: {error.message}",
        tier=Tier.SCHEMA,
        unit=key,
        page=1 if pages == 1 else None,
        detail=detail,
        pointers=repairable_at(shard, error.pointer, pages=pages),
    )
