"""`retouch csharp endpoints`, and the selection of endpoints with `--match`."""

from __future__ import annotations

import re
from fnmatch import translate
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

import click

from retouch.commands import Setting, Verb, as_json_option, counted, print_json, print_table
from retouch.errors import UnknownName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from retouch.recipes.csharp.ir import Style

KEYS = ("method", "path", "status", "media_type", "json", "root", "types")


@click.command(cls=Verb)
@click.argument("spec", type=click.Path(path_type=Path))
@click.option(
    "--match", multiple=True, metavar='"GET /repos/*"', help="List only endpoints that match. Can be repeated."
)
@click.option(
    "--allow-remote", cls=Setting, is_flag=True, show_default=False, help="Follow $refs to http(s) addresses."
)
@click.option(
    "--style",
    cls=Setting,
    type=click.Choice(["plain", "connector"]),
    default="plain",
    help="The style whose names of root classes are listed.",
)
@as_json_option
def command(spec: Path, *, match: tuple[str, ...], allow_remote: bool, style: Style, as_json: bool) -> None:
    """List the endpoints of an OpenAPI document, each with its response and the number of types that it needs.

    \b
      retouch csharp endpoints openapi.yaml
      retouch csharp endpoints openapi.yaml --json

    With --json: {"endpoints": [{"method", "path", "status", "media_type", "json", "root", "types"}]}, where json is
    true if the lowest 2xx response has a JSON body, and types is the number of types that the root needs.
    """
    from retouch.recipes.csharp.document.document import load_document
    from retouch.recipes.csharp.reading.catalogue import list_endpoints

    found = list_endpoints(load_document(spec, allow_remote=allow_remote), style=style)
    if match:
        found = matching(found, match)
    rows = [{key: getattr(one, key) for key in KEYS} for one in found]
    if as_json:
        print_json({"endpoints": rows})
        return
    print_table(KEYS, [[row[key] for key in KEYS] for row in rows])
    with_json = sum(1 for row in rows if row["json"])
    click.echo(f"{counted(len(rows), 'endpoint')}, {with_json:,} with a JSON response", err=True)


class HasMethodAndPath(Protocol):
    """Anything with a method and a path, which a pattern can match."""

    @property
    def method(self) -> str:
        """The method, upper case."""
        ...

    @property
    def path(self) -> str:
        """The path as written in the document."""
        ...


E = TypeVar("E", bound=HasMethodAndPath)
Matcher: TypeAlias = "Callable[[str], object]"


def matching(endpoints: Iterable[E], patterns: Sequence[str]) -> list[E]:
    """Return the endpoints that match one of `patterns`: a method and a path, or a path alone. `*` matches any text.

    Raises:
        UnknownName: a pattern matches no endpoint.
    """
    found = list(endpoints)
    chosen: set[int] = set()
    for pattern in patterns:
        method, path = _matchers(pattern)
        hits = [place for place, one in enumerate(found) if method(one.method) and path(one.path)]
        if not hits:
            some = ", ".join(repr(f"{one.method} {one.path}") for one in found[:3]) or "none"
            hint = f"The document has {len(found):,} endpoints, for example {some}. * matches any text, also slashes."
            raise UnknownName(f"no endpoint matches {pattern!r}", hint=hint)
        chosen.update(hits)
    return [one for place, one in enumerate(found) if place in chosen]


def _matchers(pattern: str) -> tuple[Matcher, Matcher]:
    first, _, rest = pattern.strip().partition(" ")
    method, path = (first, rest.strip()) if rest else ("*", first)
    return _matcher(method.upper()), _matcher(path)


def _matcher(pattern: str) -> Matcher:
    # Only * and ? are special: a path can contain brackets.
    escaped = pattern.replace("[", "[[]")
    return re.compile(translate(escaped)).match
