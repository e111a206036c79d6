"""Detects files that run commands without being started: CI workflows, hooks, editor tasks and similar."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from retouch.edits.inside import plain_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SHORT = re.compile(r"([^~]{1,6})~\d+(?:\.[^.]{0,3})?")
_SEPARATORS = re.compile(r"[/\\]+")


@dataclass(frozen=True, kw_only=True)
class ExecutableSurface:
    """One file that runs without being started: the pattern that it matches, and what runs it."""

    path: str
    pattern: str
    runs: str


def executable_surfaces(paths: Iterable[str], *, allowed: Sequence[str] = ()) -> list[ExecutableSurface]:
    """Return those of `paths` that run commands without being started, in order, except paths that a pattern allows.

    Paths are relative to the project. `matches_pattern` defines the patterns.

    For example:
        >>> executable_surfaces(["src/app.py", ".github/workflows/ci.yml"])[0].pattern
        '.github/workflows/**'
    """
    found = (_surface(path) for path in paths if not any(matches_pattern(path, one) for one in allowed))
    return [one for one in found if one is not None]


def matches_pattern(path: str, pattern: str) -> bool:
    """Return whether `path`, or its end, matches `pattern` on any file system.

    `*` and `?` match within one name, `**` at the end matches everything below. Case is ignored. A pattern that starts
    with a slash only matches from the root. For example, `.envrc` matches `sub/.envrc`, `.vscode/**` matches
    `a/.VSCode/tasks.json`, and `/.envrc` does not match `sub/.envrc`.
    """
    names = [plain_name(part) for part in _SEPARATORS.split(path) if part not in {"", "."}]
    wanted = [part.casefold() for part in pattern.strip("/").split("/")]
    everything_below = wanted[-1] == "**"
    wanted = wanted[:-1] if everything_below else wanted
    starts = range(1 if pattern.startswith("/") else len(names))
    return any(_fits(names[start:], wanted, everything_below=everything_below) for start in starts)


def _fits(names: Sequence[str], wanted: Sequence[str], *, everything_below: bool) -> bool:
    enough = len(names) > len(wanted) if everything_below else len(names) == len(wanted)
    pairs = zip(names, wanted, strict=False)
    return enough and all(fnmatchcase(name, one) or _is_short(name, one) for name, one in pairs)


def _is_short(name: str, wanted: str) -> bool:
    """Return whether `name` is a short name that Windows may give to `wanted`, for example GITHUB~1 for .github."""
    found = _SHORT.fullmatch(name)
    stem = re.sub(r"[ .]", "", wanted.lstrip(".").partition(".")[0])
    return found is not None and len(found[1]) >= 2 and stem[: len(found[1])] == found[1]


def _surface(path: str) -> ExecutableSurface | None:
    for runs, patterns in _surfaces():
        for pattern in patterns:
            if matches_pattern(path, pattern):
                return ExecutableSurface(path=path, pattern=pattern, runs=runs)
    return None


@cache
def _surfaces() -> tuple[tuple[str, tuple[str, ...]], ...]:
    import tomllib

    text = files("retouch.edits").joinpath("executable_surfaces.toml").read_text(encoding="utf-8")
    return tuple((one["runs"], tuple(one["patterns"])) for one in tomllib.loads(text)["surface"])
