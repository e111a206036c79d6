"""A small recipe that translates words, with a run for each record or for many."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - pydantic reads the fields of a source
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from retouch import Issue, Prompt, Read, Recipe, Tier
from retouch.engine.recipe import Sharding, ShardRecord, TierPlan
from retouch.errors import Invalid

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retouch import Request, Unread

RECORDS: list[dict[str, Any]] = [{"id": f"r{one}", "word": f"word{one}"} for one in range(6)]


@dataclass(frozen=True, kw_only=True)
class Words:
    """The words by key. `language` is shared."""

    words: Mapping[str, str] = field(default_factory=dict[str, str])
    word: str = ""
    id: str = ""
    language: str = "fr"


def plan(source: Words) -> Iterable[Prompt]:
    words = source.words or {"word": source.word}
    for key, word in words.items():
        if word == "poison":
            raise ValueError("this word cannot be translated")
        if word != "dropped":
            yield Prompt(unit=key, page=1, total_pages=1, system="Translate.", user=f"{source.language}: {word}")


def read(_source: Words, _unit: str, pages: Sequence[str]) -> Read[str]:
    if not pages[0].startswith("<"):
        raise Invalid("NOT_TRANSLATED", "the answer has no <>")
    return Read(pages[0])


def check(_source: Words, values: Mapping[str, str], _options: object) -> Iterable[Issue]:
    for unit, value in values.items():
        if "wrong" in value:
            yield Issue(code="WRONG", message="it is wrong", tier=Tier.SEMANTIC, unit=unit)


def assemble(_source: Words, values: Mapping[str, str | Unread]) -> Mapping[str, str]:
    return {"words.txt": "".join(f"{unit}={value}\n" for unit, value in values.items())}


def source(shared: Mapping[str, Any], records: Sequence[ShardRecord]) -> Words:
    return Words(words={one.key: str(one.fields["word"]) for one in records}, **shared)


def two_tiers(_source: Words) -> Sequence[TierPlan]:
    meaning = TierPlan(tier=3, name="meaning", why="no dictionary is installed", next="Install one.")
    return TierPlan(tier=1, name="syntax"), meaning


alone = Recipe[Words, str](name="words", source=Words, plan=plan, read=read, check=check, assemble=assemble)
"""Each record is a run."""
together = replace(alone, sharding=Sharding(source=source, value=str))
"""A shard is a run."""
half_checked = replace(
    together,
    tiers=two_tiers,
)
"""A shard is a run with a check that does not run."""


def translated(request: Request) -> str:
    """Answer with the prompt in brackets."""
    return f"<{request.prompt.user}>"
