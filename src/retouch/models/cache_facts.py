"""What is known of a model's prompt cache: data in `cache_facts.toml`, which a user's own file goes before."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from retouch.engine.errors import BrokenFile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.engine.core import JSON

VARIABLE = "RETOUCH_CACHE_FACTS"


@dataclass(frozen=True, kw_only=True)
class CacheFacts:
    """How one model's prompt cache works; `write` and `read` are multiples of the price of an uncached token.

    `markers` is how many cache markers a request may carry, 0 where there are none; `automatic` says that the
    provider caches long prefixes without any. `min_tokens` is the shortest prefix that is cached.
    """

    min_tokens: int = 0
    write: float = 1.0
    read: float = 1.0
    markers: int = 0
    automatic: bool = False
    ttl_s: float = 300.0


def cache_facts(provider: str, model: str) -> CacheFacts:
    """Return what is known of a model's cache; nothing at all for providers that no table names.

    Entries serve models whose names begin with theirs: shorter ones first, longer ones over them, and those of the
    file that the variable RETOUCH_CACHE_FACTS names over those of the package.

    Raises:
        BrokenFile: the user's file cannot be read, or an entry has a key or value that is not understood.
    """
    facts = CacheFacts()
    known: dict[str, type] = {name: type(value) for name, value in asdict(facts).items()}
    for path, table in (("cache_facts.toml", _packaged()), _own(os.environ.get(VARIABLE, ""))):
        fitting = [one for one in table if one.get("provider") == provider and model.startswith(str(one.get("name")))]
        for entry in sorted(fitting, key=lambda one: len(str(one.get("name")))):
            given = {key: value for key, value in entry.items() if key not in {"provider", "name"}}
            _expect_known(path, given, known)
            facts = replace(facts, **given)  # pyright: ignore[reportArgumentType] - kinds were just looked at
    return facts


def _expect_known(path: str, given: Mapping[str, JSON], known: Mapping[str, type]) -> None:
    for key, value in given.items():
        kind = known.get(key)
        number = kind in {int, float} and isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
        if not number and not (kind is bool and isinstance(value, bool)):
            raise BrokenFile(
                f"{path!r} says {key} = {value!r}, which is not understood; known are: {', '.join(known)}",
                hint="Correct the entry, or take the file away to use the packaged facts.",
            )


@lru_cache(maxsize=1)
def _packaged() -> list[dict[str, JSON]]:
    return _table("cache_facts.toml", files("retouch.models").joinpath("cache_facts.toml").read_text("utf-8"))


def _own(path: str) -> tuple[str, list[dict[str, JSON]]]:
    if not path:
        return path, []
    try:
        return path, _table(path, Path(path).read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BrokenFile(f"{path!r} in {VARIABLE} cannot be read: {error}", hint="Name a TOML file.") from error


def _table(path: str, text: str) -> list[dict[str, JSON]]:
    import tomllib

    try:
        return tomllib.loads(text).get("model", [])
    except tomllib.TOMLDecodeError as error:
        raise BrokenFile(f"{path!r} is not TOML: {error}", hint="Each entry begins with [[model]].") from error
