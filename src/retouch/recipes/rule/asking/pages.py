"""The recipe's prompt: samples, the detector's columns of all samples, the user's hint, and the requested output."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

from retouch.engine.types import Prompt
from retouch.recipes.rule.asking.redactor import redactor_of
from retouch.recipes.rule.asking.schema import COLUMNS_SCHEMA
from retouch.recipes.rule.asking.showing import MAX_PATHS, as_data, fenced, most_different
from retouch.recipes.rule.asking.source import UNIT
from retouch.recipes.rule.asking.table import table_lines, table_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retouch.recipes.rule.asking.source import Form, RuleJob

SAMPLES = "SAMPLE PATHS"
COLUMNS = "COLUMNS"
OUTPUT = "OUTPUT: "
MAX_UNWANTED = 10


@cache
def text_of(name: str) -> str:
    """Return the prompt text called `name`."""
    return files("retouch.recipes.rule.asking").joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8").rstrip()


def plan(job: RuleJob) -> Iterable[Prompt]:
    """Return the one prompt of a source. The detector runs on all samples first."""
    return [prompt_for(job, job.form)]


@lru_cache(maxsize=16)
def shown_paths(job: RuleJob) -> tuple[tuple[str, str], ...]:
    """Return the samples that the model sees, as pairs: the redacted path, and the real one."""
    redactor = redactor_of(job)
    return tuple((as_data(redactor.hide(path)), path) for path in most_different(job.samples))


@lru_cache(maxsize=32)
def prompt_for(job: RuleJob, form: Form) -> Prompt:
    """Return the prompt that requests an answer in the form `form`."""
    redactor, samples, shown = redactor_of(job), job.samples, shown_paths(job)
    count = f"{len(shown)} of {len(samples)}, the most different" if len(samples) > MAX_PATHS else f"{len(shown)}"
    parts = [f"{SAMPLES} ({count}):\n{fenced(seen for seen, _ in shown)}"]
    if job.unwanted:
        unwanted = most_different(job.unwanted, MAX_UNWANTED)
        parts.append(f"PATHS THAT MUST NOT BE TAKEN:\n{fenced(as_data(redactor.hide(path)) for path in unwanted)}")
    about = f"{COLUMNS}, as found in all {len(samples)} paths (<> is the column in its part of the path):"
    parts.append(f"{about}\n{fenced(table_lines(table_of(job), redactor))}")
    if job.hint:
        parts.append(f"WHAT THE PERSON SAYS:\n{fenced(redactor.hide(job.hint).splitlines())}")
    parts.append(text_of("python" if form == "either" else form))
    parts += [text_of("either")] if form == "either" else []
    schema = COLUMNS_SCHEMA if form == "columns" else None
    return Prompt(unit=UNIT, is_root=True, system=text_of("system"), user="\n\n".join(parts), answer_schema=schema)


def without_python(job: RuleJob) -> Prompt:
    """Return the prompt that requests the fields that a YAML rule can express, without computed ones."""
    prompt = prompt_for(job, "yaml")
    return replace(prompt, user=f"{prompt.user}\n\n{text_of('no_python')}")
