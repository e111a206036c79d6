"""The arguments of `retouch generate csharp`, shared by single and multiple runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from retouch.commands import ModelOptions, Setting
from retouch.errors import BadInput

if TYPE_CHECKING:
    from retouch.engine.options import RunOptions
    from retouch.recipes.csharp.ir import Ask, Endpoint, Extra, Style
    from retouch.recipes.csharp.reading.endpoint import ReadingOptions
    from retouch.recipes.csharp.reading.parts import Included

OUTPUT = Path("output")
compiler_option = Setting(
    ["--compiler"],
    type=click.Choice(["auto", "dotnet", "roslyn", "none"]),
    default="auto",
    help="C# compiler for tier 3; auto uses whichever is installed, a named one must be installed.",
)
runtime_option = Setting(
    ["--runtime"],
    is_flag=True,
    help="Execute the C# with System.Text.Json (tier 4): the document's examples and payloads that follow from it. It "
    "needs .NET 9 or newer, or mono with RETOUCH_MONO_JSON.",
)
run_options = (compiler_option, runtime_option)


@dataclass(frozen=True, kw_only=True)
class CsharpArguments(ModelOptions):
    """The command's arguments and options; see its help."""

    spec: Path
    endpoint: tuple[str, ...]
    every: bool
    match: tuple[str, ...]
    output: Path | None
    status: str | None
    media_type: str | None
    request_body: bool
    include: tuple[str, ...]
    extra: tuple[str, ...]
    schema: str | None
    unwrap: str | None
    key: tuple[str, ...]
    namespace: str | None
    fields_per_page: int
    values_per_page: int
    allow_remote: bool
    compiler: str
    runtime: bool
    style: str | None
    ask: str | None
    merge_identical: bool
    fail_on_breaking: bool

    @property
    def names(self) -> tuple[str, ...]:
        """The given endpoints, such as `GET /pets`, in order. A method and a path may be two arguments."""
        found: list[str] = []
        for word in filter(None, map(str.strip, self.endpoint)):
            follows_method = found and found[-1].isalpha() and " " not in found[-1]
            if follows_method:
                found[-1] += f" {word}"
            else:
                found.append(word)
        return tuple(dict.fromkeys(found))

    def expect_consistent(self) -> None:
        """Check that exactly one way of selecting endpoints was used.

        Raises:
            BadInput: none was used, or several were.
        """
        selections = {
            "an endpoint": bool(self.names),
            "--all": self.every,
            "--match": bool(self.match),
            "--schema": self.schema is not None,
        }
        used = [name for name, given in selections.items() if given]
        if self.include and (self.style == "connector" or self.schema is not None):
            other = "--schema" if self.schema is not None else "--style connector"
            raise BadInput(f"--include and {other} exclude each other", hint="--include makes a project of endpoints.")
        if self.extra and self.style == "connector":
            hint = "--extra belongs to the plain style."
            raise BadInput("--extra and --style connector exclude each other", hint=hint)
        if len(used) == 1:
            return
        hint = (
            f"Give one such as \"GET /pets\", or --match, or --all; 'retouch csharp endpoints {self.spec}' lists them."
        )
        seen = f"{' and '.join(used)} exclude each other" if used else "no endpoint was given"
        raise BadInput(seen, hint=hint)

    def reading_like(self, before: Endpoint) -> ReadingOptions:
        """Return the options for reading endpoints of an existing run, which keeps what the user does not name."""
        found = self.reading(before.style, before.ask, runtime=before.runtime)
        return found if found.extras else replace(found, extras=before.extras)

    def reading(self, style: Style | None = None, ask: Ask | None = None, *, runtime: bool = False) -> ReadingOptions:
        """Return the options for reading endpoints. `style`, `ask` and `runtime` are used if the user named none.

        A model in this process, such as `offline`, has no meaning to add: a new run with it is a transcript.
        """
        from retouch.recipes.csharp.reading.endpoint import ReadingOptions

        is_local = self.model_spec().replace("faulty:", "").startswith(("offline", "replay:"))
        return ReadingOptions(
            status=self.status,
            media_type=self.media_type,
            request=self.request_body,
            extras=cast("tuple[Extra, ...]", tuple(sorted(set(self.extra)))),
            include=cast("tuple[Included, ...]", tuple(sorted(set(self.include)))),
            unwrap=self.unwrap,
            key=self.key,
            namespace=self.namespace,
            fields_per_page=self.fields_per_page,
            values_per_page=self.values_per_page,
            schema=self.schema,
            style=cast("Style", self.style or style or "plain"),
            ask=cast("Ask", self.ask or ask or ("transcript" if is_local else "meaning")),
            runtime=self.runtime or runtime,
        )

    def own_options(self) -> dict[str, Any]:
        """Return the run options that this command adds to the shared ones."""
        return {"compiler": self.compiler, "runtime": self.runtime}


def expect_compiler(options: RunOptions) -> None:
    """Check that a named compiler is installed, before a request is paid for.

    Raises:
        MissingTool: it is not. The hint explains how to install it.
    """
    if options.compiler in ("auto", "none"):
        return
    from retouch.recipes.csharp.compilers.check import find_compiler

    find_compiler(options)


def reading_notes(endpoint: Endpoint) -> list[str]:
    """Return the notes about reading the document: choices that were made, and unresolved references."""
    unresolved = [
        f"{one.name}.{field.name}: {note}"
        for one in endpoint.types
        for field in one.fields
        for note in field.notes
        if note.startswith("unresolved")
    ]
    return [*dict.fromkeys(endpoint.notes), *unresolved]
