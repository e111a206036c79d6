"""What an evaluation does: its models, trials and sources, the directory of each run, and `evaluation.json`."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from retouch._lib.disk import write_files
from retouch._lib.json_stream import broken, expect_version, stored_object
from retouch._lib.json_text import json_text
from retouch.engine.types import model_name
from retouch.errors import BadInput, BrokenFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.engine.options import RunOptions
    from retouch.evaluation.sampling import EvaluationSource

PLAN = "evaluation.json"
VERSION = 1
_KEYS: Mapping[str, Any] = {
    "version": int,
    "recipe": str,
    "models": dict,
    "trials": int,
    "seed": int,
    "sample": (int, type(None)),
    "planned": int,
    "sources": list,
    "options": dict,
}
_UNCOMPARED = ("concurrency", "warm_up_s", "grace_s")  # options without influence on answers and checks
_LONGEST = 60


@dataclass(frozen=True, kw_only=True)
class EvaluationRun:
    """One run of an evaluation: a model's answers to one source in one trial (from 1), in a directory of its own."""

    model: str
    trial: int
    source: EvaluationSource
    directory: Path

    @property
    def name(self) -> str:
        """The run as text, for progress and errors."""
        return f"{self.model}, trial {self.trial}, {self.source.label}"


@dataclass(frozen=True, kw_only=True)
class EvaluationPlan:
    """All runs of an evaluation below one directory.

    `planned` is the number of units of all sources. `sample` is how many were wanted of them, None for all. `sources`
    are those with a unit in the sample, which was drawn with `seed`. `known` are the directories of models of earlier
    commands. `command` are the arguments of the command that makes the runs, () without one.
    """

    directory: Path
    recipe: str
    models: tuple[str, ...]
    trials: int
    seed: int
    sample: int | None
    sources: tuple[EvaluationSource, ...]
    planned: int
    known: Mapping[str, str]
    command: tuple[str, ...] = ()

    @cached_property
    def directories(self) -> dict[str, str]:
        """The directory of each model, below that of the evaluation."""
        found = dict(self.known)
        for model in self.models:
            if model not in found:
                found[model] = _free_name(model, found.values())
        return found

    def runs(self) -> Iterator[EvaluationRun]:
        """Yield the runs. All models answer a source in a trial before the next one, so that an interrupted evaluation
        can compare what it has."""
        for trial in range(1, self.trials + 1):
            for source in self.sources:
                for model in self.models:
                    directory = self.directory / self.directories[model] / f"trial-{trial}" / _safe(source.label)
                    yield EvaluationRun(model=model, trial=trial, source=source, directory=directory)

    @property
    def units(self) -> int:
        """How many units every model answers in each trial."""
        return sum(len(one.units) for one in self.sources)

    def to_json(self) -> dict[str, JSON]:
        """Return the plan as plain data."""
        sources: list[JSON] = [_source_to_json(one) for one in self.sources]
        return {
            "version": VERSION,
            "recipe": self.recipe,
            "models": dict(self.directories),
            "trials": self.trials,
            "seed": self.seed,
            "sample": self.sample,
            "planned": self.planned,
            "sources": sources,
            "options": _compared_options(self.sources[0].options),
            **({"command": list(self.command)} if self.command else {}),
        }

    def save(self) -> None:
        """Write the plan, before any run. More models and trials extend the plan of an earlier command.

        Raises:
            BadInput: the directory holds an evaluation of other sources, another sample or other options.
            BrokenFile: its plan cannot be read.
        """
        stored, content = stored_plan(self.directory), self.to_json()
        if stored is not None:
            for key, what in _FIXED.items():
                if stored[key] != content[key]:
                    raise _other_evaluation(self.directory, what)
            content["trials"] = max(self.trials, stored["trials"])
            if self.command and (content["trials"] > self.trials or {*self.directories} > {*self.models}):
                every = ["--models", ",".join(self.directories), "--trials", str(content["trials"])]
                content["command"] = [*self.command, *every]  # alone, it would leave out runs of earlier commands
            if stored == content:
                return
        write_files(self.directory, {PLAN: json_text(content)})


_FIXED = {
    "recipe": "it is of another recipe",
    "sample": "its sample has another size",
    "seed": "its sample has another seed",
    "planned": "its sources differ, or have changed since",
    "sources": "its sources or the recipe's prompts differ, or have changed since",
    "options": "it was made with other options of the recipe or of the run",
}


def _other_evaluation(directory: Path, what: str) -> BadInput:
    hint = "Choose another directory with -o. Within one evaluation all models must do the same work."
    return BadInput(f"{str(directory)!r} holds another evaluation: {what}", hint=hint)


def stored_plan(directory: Path) -> dict[str, Any] | None:
    """Return the content of the `evaluation.json` in a directory, None if there is none.

    Raises:
        BrokenFile: it cannot be read, or a newer version wrote it.
    """
    path = directory / PLAN
    if not path.exists():
        return None
    content = stored_object(path, {"version": int})
    expect_version(path, content["version"], VERSION)
    wrong = [key for key, kind in _KEYS.items() if not isinstance(content.get(key), kind)]
    if wrong:
        raise broken(path, f"key {wrong[0]!r} is missing or has another type")
    return content


def known_directories(directory: Path) -> dict[str, str]:
    """Return the directories of the models of earlier commands, by model."""
    stored = stored_plan(directory)
    found: dict[str, Any] = stored["models"] if stored is not None else {}
    if not all(isinstance(name, str) and name == _safe(name) for name in found.values()):
        raise BrokenFile(f"{str(directory / PLAN)!r} names a directory that no model has", hint="Put back a copy.")
    return found


def planned_directories(directory: Path) -> list[Path]:
    """Return the directories of all runs that the `evaluation.json` in a directory plans. [] if there is none.

    Raises:
        BrokenFile: it cannot be read.
    """
    stored = stored_plan(directory)
    if stored is None:
        return []
    sources: list[Any] = stored["sources"]
    try:
        labels = [str(one["label"]) for one in sources]
    except (KeyError, TypeError):
        raise broken(directory / PLAN, "a source has no label") from None
    found = [
        directory / model / f"trial-{trial}" / _safe(label)
        for trial in range(1, stored["trials"] + 1)
        for label in labels
        for model in known_directories(directory).values()
    ]
    if not found:
        raise broken(directory / PLAN, "it plans no run")
    return found


def _source_to_json(source: EvaluationSource) -> dict[str, JSON]:
    sampled: list[JSON] = [*source.units]
    return {
        "label": source.label,
        "hash": source.hash,
        "prompts": source.prompts,
        "planned": source.planned,
        "units": sampled if source.is_partial else None,
    }


def _compared_options(options: RunOptions) -> dict[str, JSON]:
    """Return the options that must be the same for all runs of an evaluation."""
    stored = {key: value for key, value in options.stored().items() if key not in _UNCOMPARED}
    budget: dict[str, JSON] | None = asdict(options.budget) if options.budget is not None else None
    fallbacks: list[JSON] = [model_name(one) for one in options.fallbacks]
    return {**stored, "budget": budget, "fallbacks": fallbacks}


def _safe(text: str) -> str:
    """Return a text as the name of a directory."""
    return re.sub(r"[^A-Za-z0-9._=-]+", "_", text)[:_LONGEST].strip("._") or "_"


def _free_name(model: str, taken: Iterable[str]) -> str:
    used = {name.casefold() for name in taken}
    name, number = _safe(model), 1
    while name.casefold() in used:
        number += 1
        name = f"{_safe(model)[: _LONGEST - 4]}-{number}"
    return name


def models_in(texts: Sequence[str], schemes: Iterable[str]) -> tuple[str, ...]:
    """Return the models in comma-separated lists. A comma belongs to a model's options if no model follows it.

    assert ("offline", "faulty:offline?kinds=fence,empty") == models_in(
        ["offline,faulty:offline?kinds=fence,empty"], ["offline", "faulty"]
    )

    Raises:
        BadInput: there is none, or one is duplicated.
    """
    known = tuple(schemes)
    found: list[str] = []
    for text in texts:
        begun = len(found)
        for part in (one.strip() for one in text.split(",")):
            scheme = re.match(r"[^:?]*", part)
            begins = scheme is not None and (scheme[0] in known or "?" not in (found[-1] if found[begun:] else ""))
            if begins or len(found) == begun:
                found.append(part)
            else:
                found[-1] += f",{part}"
    if not found or not all(found):
        raise BadInput("a model is missing in --models", hint="For example: --models anthropic:NAME,openai:NAME")
    twice = next((one for one in found if found.count(one) > 1), None)
    if twice is not None:
        raise BadInput(f"the model {twice!r} is named twice", hint="Use --trials to let a model answer several times.")
    return tuple(found)
