"""A cache of command results: in this process, on disk, and in the caller's store. Tool failures are not cached."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from retouch._lib.process.launch import CommandResult
from retouch._lib.process.output import trimmed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

IN_THIS_PROCESS: dict[str, CommandResult] = {}
_TUPLES = ("opened", "wrote", "tampered")


@dataclass(frozen=True, kw_only=True)
class ResultStore:
    """Results by key. A key covers every input of a result. `recall` and `keep` are the caller's own store."""

    folder: Path
    recall: Callable[[str], Any] | None = None
    keep: Callable[[str, Any], None] | None = None

    def find(self, key: str, *, lasting: bool) -> CommandResult | None:
        """Return a cached result, or None. The disk is searched only if `lasting` is set."""
        known = IN_THIS_PROCESS.get(key)
        if known is None and self.recall is not None:
            known = _parsed_cached_result(self.recall(key))
        place = self.folder / f"{key}.json"
        if known is None and lasting and place.is_file():
            with suppress(OSError, ValueError):
                known = _parsed_cached_result(json.loads(place.read_text(encoding="utf-8")))
        return known

    def add(self, key: str, result: CommandResult, *, lasting: bool, shorten: Callable[[str], str] = trimmed) -> None:
        """Cache a result, unless the tool failed. The caller's store gets the output that `shorten` returns.

        If it is not `lasting`, a failure may have an external cause, such as a service that was down. Then it is cached
        in this process only.
        """
        if result.tool_failure:
            return
        IN_THIS_PROCESS[key] = result
        if lasting:
            temporary = self.folder / f"{key}.new"
            temporary.write_text(json.dumps(asdict(result)), encoding="utf-8")
            temporary.replace(self.folder / f"{key}.json")
        elif result.good and self.keep is not None:
            data = asdict(replace(result, output=shorten(result.output)))
            self.keep(key, data | {name: _listed(data[name]) for name in _TUPLES})

    def forget(self, key: str) -> None:
        """Remove a result from the cache of this process and from disk."""
        IN_THIS_PROCESS.pop(key, None)
        (self.folder / f"{key}.json").unlink(missing_ok=True)


def _parsed_cached_result(data: Any) -> CommandResult | None:
    """Return a cached result, or None if this version cannot read it."""
    try:
        fields: dict[str, Any] = dict(data)
        fields |= {name: None if fields.get(name) is None else tuple(fields[name]) for name in ("opened", "wrote")}
        fields["tampered"] = tuple(fields.get("tampered", ()))
        return CommandResult(**fields)
    except (TypeError, ValueError, KeyError):
        return None


def _listed(value: tuple[str, ...] | None) -> list[str] | None:
    return None if value is None else list(value)
