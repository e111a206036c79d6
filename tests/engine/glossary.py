"""A small job that exercises every part of the engine: words are asked for in pages, each answered by `word=VALUE`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence  # noqa: TC003 - pydantic reads the annotations of the source
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from retouch.engine.recipe import Block, Read, Recipe, Unread
from retouch.engine.types import Issue, Prompt, Tier
from retouch.errors import Invalid

if TYPE_CHECKING:
    from retouch.engine.options import RunOptions

SYSTEM = "Answer each word with a line word=VALUE, the value in capitals."


@dataclass(frozen=True, kw_only=True)
class Glossary:
    """The source: words by unit, asked `page_size` at a time; `small` are units asked one word at a time."""

    units: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])
    page_size: int = 2
    small: tuple[str, ...] = ()


Value = dict[str, str]


def pages_of(source: Glossary, unit: str) -> list[tuple[str, ...]]:
    """Return the unit's words, page by page."""
    words, size = source.units[unit], 1 if unit in source.small else source.page_size
    return [words[i : i + size] for i in range(0, len(words), size)]


def plan(source: Glossary) -> Iterable[Prompt]:
    for unit in source.units:
        slices = pages_of(source, unit)
        for page, words in enumerate(slices, 1):
            user = f"UNIT: {unit}\nPAGE: {page} of {len(slices)}\nWORDS: {' '.join(words)}"
            yield Prompt(unit=unit, page=page, total_pages=len(slices), system=SYSTEM, user=user)


def read(source: Glossary, unit: str, pages: Sequence[str]) -> Read[Value]:
    """Read `word=VALUE` lines; a broken line is tier 1, a missing or strange word tier 2."""
    value: Value = {}
    for number, text in enumerate(pages, 1):
        for row, line in enumerate(text.splitlines(), 1):
            word, equals, meaning = line.partition("=")
            if not equals:
                fix = "Write word=VALUE."
                raise Invalid("BROKEN_LINE", f"line {line!r} has no '='", page=number, line=row, fix=fix)
            value[word] = meaning
    slices = pages_of(source, unit) if len(pages) > 1 or len(source.units[unit]) <= 1 else [source.units[unit]]
    issues = [
        Issue(code="MISSING", message=f"no {word!r}", tier=Tier.SCHEMA, unit=unit, page=page)
        for page, words in enumerate(slices, 1)
        for word in words
        if word not in value
    ]
    return Read(value, issues)


def check(_source: Glossary, values: Mapping[str, Value], _options: RunOptions) -> list[Issue]:
    """Judge all units together: a value may stand in one unit only; the later unit is to blame."""
    seen: dict[str, str] = {}
    issues: list[Issue] = []
    for unit, value in values.items():
        for word, meaning in value.items():
            if meaning in seen and seen[meaning] != unit:
                issues.append(Issue(code="TAKEN", message=f"{meaning!r} of {word!r}", tier=Tier.SEMANTIC, unit=unit))
            seen.setdefault(meaning, unit)
    return issues


def assemble(_source: Glossary, values: Mapping[str, Value | Unread]) -> Mapping[str, str]:
    blocks: list[str] = []
    for unit, value in values.items():
        body = value.text if isinstance(value, Unread) else "\n".join(f"{w}={m}" for w, m in value.items())
        blocks.append(f"# begin {unit}\n{body}\n# end {unit}\n")
    return {"glossary.txt": "\n".join(blocks)}


def blocks(_file: str, text: str) -> list[Block]:
    found: list[Block] = []
    for unit in [line.removeprefix("# begin ") for line in text.splitlines() if line.startswith("# begin ")]:
        start = text.index(f"# begin {unit}\n") + len(f"# begin {unit}\n")
        found.append(Block(unit=unit, start=start, end=text.index(f"\n# end {unit}", start)))
    return found


def smaller(source: Glossary, unit: str) -> Glossary:
    return replace(source, small=(*source.small, unit))


def answer(prompt: Prompt) -> str:
    """Answer by rule, from the prompt's text alone."""
    words = prompt.user.rpartition("WORDS: ")[2].partition("\n")[0].split()  # turns may follow the prompt
    return "\n".join(f"{word}={word.upper()}" for word in words)


RECIPE = Recipe[Glossary, Value](
    name="glossary",
    source=Glossary,
    plan=plan,
    read=read,
    check=check,
    assemble=assemble,
    offline=answer,
    blocks=blocks,
    smaller=smaller,
)
SOURCE = Glossary(units={"animals": ("cat", "dog", "eel"), "tools": ("axe", "saw")})
