"""Options that can also come from the environment and from a file: option > variable > file > built-in default."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
from click.core import ParameterSource

from retouch.cli.verb import SETTING_MARK, LazyGroup, Option
from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE, PROJECT = "retouch.toml", "pyproject.toml"


class Setting(Option):
    """An option that is also a RETOUCH_ variable and a key of the settings file.

    For `retouch generate csharp --model` the variables RETOUCH_GENERATE_CSHARP_MODEL, RETOUCH_GENERATE_MODEL and
    RETOUCH_MODEL are read in this order, then the tables [generate.csharp], [generate] and the top level of the file.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        marked = f"{kwargs.pop('help', '')} {SETTING_MARK}"
        given: dict[str, Any] = {"show_default": True, **kwargs, "help": marked}
        super().__init__(*args, **given)
        self.envvar = f"RETOUCH_{self.name or ''}".upper()

    def resolve_envvar_value(self, ctx: click.Context) -> str | None:
        """Return the value of the most specific variable that is set and not empty."""
        verbs: list[str] = []  # without the program's name
        at = ctx
        while at.parent is not None:
            verbs.insert(0, str(at.info_name).replace("-", "_").upper())
            at = at.parent
        names = ["_".join(["RETOUCH", *verbs[:depth], str(self.name).upper()]) for depth in range(len(verbs), -1, -1)]
        return next((value for name in names if (value := os.environ.get(name))), None)

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """Return `value` in the option's type. The error of an invalid value names its source."""
        try:
            return super().type_cast_value(ctx, value)
        except click.BadParameter as error:
            source = ctx.get_parameter_source(str(self.name))
            where = {
                ParameterSource.DEFAULT_MAP: f" (from {find_settings(Path.cwd())})",
                ParameterSource.ENVIRONMENT: f" (from the variable {self.envvar}, or the same for one command)",
            }
            message = error.message + where.get(source or ParameterSource.COMMANDLINE, "")
            raise click.BadParameter(message, ctx=ctx, param=self) from error


def defaults(folder: Path, root: LazyGroup) -> dict[str, Any]:
    """Return click's default map for `root` from the settings file nearest to `folder`. Empty if there is none.

    Raises:
        BadInput: the file cannot be read, or has an unknown key. The message names the file and the key.
    """
    path = find_settings(folder)
    if path is None:
        return {}
    spread = _Spread(path)
    return spread.over(root, _content(path), inherited={}, at=())


def find_settings(folder: Path) -> Path | None:
    """Return the nearest `retouch.toml`, or `pyproject.toml` with a table [tool.retouch], upwards from `folder`."""
    for place in (folder, *folder.parents):
        if (place / FILE).is_file():
            return place / FILE
        project = place / PROJECT
        if project.is_file() and b"retouch" in project.read_bytes() and _content(project):
            return project
    return None


def _content(path: Path) -> dict[str, Any]:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(
            f"{str(path)!r} is not valid TOML: {error}", hint="Correct the file, or move it away."
        ) from error
    if path.name == FILE:
        return data
    table = cast("dict[str, Any]", data.get("tool") or {}).get("retouch", {})
    return cast("dict[str, Any]", table)


class _Spread:
    """Distributes the tables of one file over the command tree."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def over(
        self, command: click.Command, table: Mapping[str, Any], *, inherited: Mapping[str, Any], at: tuple[str, ...]
    ) -> dict[str, Any]:
        """Return the default map of `command`: inherited values, its own table, and a map per subcommand."""
        below = _commands(command)
        known = _settings_of(command)
        own = {key.replace("-", "_"): value for key, value in table.items() if key not in below}
        for key, value in own.items():
            self._expect(key, value, known=known, tables=below, at=at)
            if known[key].multiple and isinstance(value, str):
                own[key] = [value]
        found = {**inherited, **own}
        for name, one in below.items():
            inner: object = table.get(name, {})
            if not isinstance(inner, dict):
                raise BadInput(
                    f"{self._describe_key((*at, name))} should be a table", hint=f"Write [{'.'.join((*at, name))}]."
                )
            found[name] = self.over(one, cast("dict[str, Any]", inner), inherited={**inherited, **own}, at=(*at, name))
        return found

    def _expect(
        self,
        key: str,
        value: object,
        *,
        known: Mapping[str, Setting],
        tables: Mapping[str, object],
        at: tuple[str, ...],
    ) -> None:
        if key not in known:
            raise BadInput(f"{self._describe_key((*at, key))} is not a setting", hint=_nearest(key, [*known, *tables]))
        if isinstance(value, (dict, list)) and not known[key].multiple:
            raise BadInput(f"{self._describe_key((*at, key))} should be a single value", hint=f"Write {key} = ...")

    def _describe_key(self, key: tuple[str, ...]) -> str:
        return f"key {'.'.join(key)!r} in {str(self.path)!r}"


def _commands(command: click.Command) -> dict[str, click.Command]:
    if not isinstance(command, LazyGroup):
        return {}
    return {name: command.load(name) for name in (*command.table, *command.hidden_table)}


def _settings_of(command: click.Command) -> dict[str, Setting]:
    """Return the settings of `command` and all its subcommands, by name."""
    own = {str(one.name): one for one in command.params if isinstance(one, Setting)}
    for one in _commands(command).values():
        own.update(_settings_of(one))
    return own


def _nearest(key: str, known: list[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(key, known, n=1)
    every = ", ".join(sorted(set(known)))
    return f"Did you mean {close[0]!r}?" if close else f"Known here: {every or 'nothing'}."
