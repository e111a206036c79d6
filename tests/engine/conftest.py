"""A run directory of the glossary recipe, and how to work on it in one line."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.directory import open_run
from retouch.engine.ledger import LedgerRow, read_entries
from retouch.engine.options import DEFAULT_OPTIONS, RunOptions
from retouch.engine.record import recording, write_stored
from retouch.engine.targets import Targets
from retouch.engine.types import Message, Prompt, Reply, Request
from retouch.engine.verbs import adopt, assemble, generate, regenerate, repaginate, validate
from retouch.testing import scripted
from tests.engine.glossary import RECIPE, SOURCE, Glossary, answer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from retouch.engine.history import History
    from retouch.engine.overview import RunResult
    from retouch.engine.recipe import Recipe
    from retouch.engine.types import Model
    from retouch.testing import Scripted


class Scene:
    """A run directory and how to work on it in one line."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.recipe: Recipe[Glossary, Any] = RECIPE
        self.source = SOURCE

    def use(self, **functions: Any) -> None:
        """Replace functions of the recipe."""
        self.recipe = replace(self.recipe, **functions)

    def generate(self, model: Model | None = None, **given: Any) -> RunResult:
        """Generate with `model`, by default one that answers every prompt rightly."""
        return run(generate(self.recipe, self.source, self.folder, model or honest(), options_of(**given)))

    def regenerate(self, model: Model | None = None, *units: str, hint: str = "", **given: Any) -> RunResult:
        """Ask the named units again; a unit may be "name:page"."""
        return self.remake(model, aimed(*units), hint=hint, **given)

    def remake(self, model: Model | None, targets: Targets, *, hint: str = "", **given: Any) -> RunResult:
        return run(
            regenerate(self.recipe, self.folder, model or honest(), targets, hint=hint, options=options_of(**given))
        )

    def repaginate(self, unit: str, model: Model | None = None) -> RunResult:
        return run(repaginate(self.recipe, self.folder, unit, model or honest()))

    def validate(self, *, write: bool = True) -> RunResult:
        return run(validate(self.recipe, self.folder, write=write))

    def adopt(self, *units: str) -> RunResult:
        return run(adopt(self.recipe, self.folder, units=units))

    def assemble(self, **given: Any) -> RunResult:
        return run(assemble(self.recipe, self.folder, options=options_of(**given)))

    def text(self, name: str = "glossary.txt") -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def edit(self, old: str, new: str, name: str = "glossary.txt") -> None:
        """Do what a person does to a file."""
        before = self.text(name)
        assert old in before
        (self.folder / name).write_text(before.replace(old, new), encoding="utf-8")

    def rewrite(self, name: str, old: str, new: str) -> None:
        """Change a JSON file as the engine does, with its hash in the ledger."""

        async def write() -> None:
            async with recording(self.folder) as record:
                write_stored(record, self.folder, {name: self.text(name).replace(old, new)})

        assert old in self.text(name)
        run(write())

    def json(self, name: str) -> Any:
        return json.loads(self.text(name))

    def rows(self, *kinds: str) -> list[LedgerRow]:
        """The committed rows of these kinds (all when none is named), read through a connection of its own."""
        found = read_entries(self.folder / "ledger.db")
        return [row for row in found if not kinds or row.kind in kinds]

    @property
    def history(self) -> History:
        return open_run(self.folder).history

    def tree(self) -> dict[str, bytes]:
        """Every file of the folder with its bytes."""
        return tree_of(self.folder)


def tree_of(folder: Path) -> dict[str, bytes]:
    """Every file under a folder with its bytes."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def aimed(*units: str) -> Targets:
    """Targets from names like "animals" or "animals:2"."""
    pages: dict[str, tuple[int, ...]] = {}
    for name in units:
        unit, _, page = name.partition(":")
        pages[unit] = (*pages.get(unit, ()), *([int(page)] if page else []))
    return Targets(pages=pages)


def options_of(options: RunOptions = DEFAULT_OPTIONS, **given: Any) -> RunOptions:
    """The options of a verb: `options`, if they are given, with single ones replaced."""
    return replace(options, **given)


def always(value: Any) -> Callable[..., Any]:
    """A function of a recipe that returns `value` whatever it is given."""

    def given(*_: Any) -> Any:
        return value

    return given


def run(work: Any) -> Any:
    """Run a coroutine to its end."""
    return asyncio.run(work)


def honest() -> Scripted:
    """A model that answers every prompt rightly."""
    return scripted(lambda request: answer(request.prompt))


def wrong_first(wrong: Mapping[tuple[str, int], Sequence[Any]]) -> Scripted:
    """A model that gives the listed answers for a page first, in order, and right ones from then on."""
    left = {key: list(answers) for key, answers in wrong.items()}

    def script(request: Request) -> Any:
        queue = left.get(request.prompt.key)
        return queue.pop(0) if queue else answer(request.prompt)

    return scripted(script)


def asked(model: Scripted) -> list[tuple[str, int]]:
    """The pages that a scripted model was asked for, in order."""
    return [request.prompt.key for request in model.requests]


def states(result: RunResult) -> dict[str, str]:
    return dict(result.states)


def cut(text: str = "cat=") -> Reply:
    """A reply that was cut off at the output limit."""
    return Reply(text=text, finish="length", model="scripted", output_tokens=1)


def refused(text: str = "I cannot help with that.") -> Reply:
    return Reply(text=text, finish="refused", model="scripted")


def request_for(prompt: Prompt, *, cap: int = 8_192) -> Request:
    messages = (Message(role="user", text=prompt.user),)
    return Request(prompt=prompt, system=prompt.system, messages=messages, max_output_tokens=cap)


def one_at_a_time(**more: Any) -> RunOptions:
    return RunOptions(concurrency=1, **more)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path / "run")
