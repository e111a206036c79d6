"""Facts about providers: a TOML file of the package, which the user's own file overrides."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from retouch.errors import BrokenFile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from _typeshed import DataclassInstance

    from retouch._lib.json_text import JSON

    F = TypeVar("F", bound=DataclassInstance)


@dataclass(frozen=True, kw_only=True)
class FactTable:
    """A table of facts: its file in this package, and the environment variable that names the user's file."""

    file: str
    variable: str

    def facts(self, unknown: F, provider: str, model: str) -> F:
        """Return the facts about a model: `unknown` updated with the values of all matching entries.

        An entry applies to models whose names start with its name. Longer names override shorter ones, and the user's
        file overrides the package.

        Raises:
            BrokenFile: the user's file cannot be read, or an entry has an invalid key or value.
        """
        found = unknown
        kinds: dict[str, type] = {one.name: type(getattr(unknown, one.name)) for one in fields(unknown)}
        for path, table in ((self.file, _packaged(self.file)), self._own()):
            matching = [one for one in table if one.get("provider") == provider and _matches(one, model)]
            for entry in sorted(matching, key=lambda one: len(str(one.get("name")))):
                given: dict[str, Any] = {key: value for key, value in entry.items() if key not in {"provider", "name"}}
                _expect_known(path, given, kinds)
                found = replace(found, **given)
        return found

    def _own(self) -> tuple[str, list[dict[str, JSON]]]:
        path = os.environ.get(self.variable, "")
        if not path:
            return path, []
        try:
            return path, _table(path, Path(path).read_text("utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise BrokenFile(
                f"{path!r} in {self.variable} cannot be read: {error}", hint="Name a TOML file."
            ) from error


def _matches(entry: Mapping[str, JSON], model: str) -> bool:
    return model.startswith(str(entry.get("name")))


def _expect_known(path: str, given: Mapping[str, JSON], known: Mapping[str, type]) -> None:
    for key, value in given.items():
        kind = known.get(key)
        number = kind in {int, float} and isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
        if not number and not (kind is bool and isinstance(value, bool)):
            raise BrokenFile(
                f"{path!r} has the invalid entry {key} = {value!r}; known keys: {', '.join(known)}",
                hint="Correct the entry, or remove the file to use the packaged facts.",
            )


@lru_cache
def _packaged(file: str) -> list[dict[str, JSON]]:
    return _table(file, files("retouch.models").joinpath(file).read_text("utf-8"))


def _table(path: str, text: str) -> list[dict[str, JSON]]:
    import tomllib

    try:
        return tomllib.loads(text).get("model", [])
    except tomllib.TOMLDecodeError as error:
        raise BrokenFile(f"{path!r} is not TOML: {error}", hint="Each entry begins with [[model]].") from error
