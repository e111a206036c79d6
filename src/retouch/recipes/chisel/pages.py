"""The prompts of the chisel recipe: the Verilog intent, one or several candidates, and the form of the answer."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from retouch.edits import fence_for
from retouch.engine.types import Prompt
from retouch.recipes.chisel.source import UNIT
from retouch.recipes.chisel.windows import leaves_out, listings, tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retouch.engine.types import Attempt
    from retouch.recipes.chisel.source import FixJob, Suspect

INTENT_SHARE = 0.5  # of the budget; the rest is for the code
MOST_SIGNATURE, MOST_EVIDENCE = 4, 3  # lines of a candidate in the prompt that lets the model choose
MOST_OFFERED = 12  # names of related definitions in a prompt
ALSO_SHOWN = "ALSO SHOWN, as you asked: "
LEAST_SHARE = 0.25  # for the code, however long the diff and the reasons are
REST_SHOWN = ", NOW WITH LINES THAT WERE LEFT OUT BEFORE"
_HEADING = re.compile(r"^CANDIDATES? (\d+)\b([^\n]*)", re.MULTILINE)


@cache
def text_of(name: str) -> str:
    """Return the text of a prompt file."""
    return files("retouch.recipes.chisel").joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8").rstrip()


def opens_session(_prompt: Prompt) -> bool:
    """Return True: the output of the tools for a fix usually becomes the next turn."""
    return True


def plan(job: FixJob) -> Iterable[Prompt]:
    """Return the only prompt, for the first group of candidates."""
    if not job.suspects:
        return []
    return [choosing_prompt(job)] if job.choose else [prompt_for(job, 0)]


def choosing_prompt(job: FixJob) -> Prompt:
    """Return the prompt that shows the signatures of the first candidates, and lets the model choose their order."""
    intent = _within(job.intent, int(job.prompt_tokens * INTENT_SHARE))
    rows = [_signature(job, number, one) for number, one in enumerate(job.suspects[: job.choose], 1)]
    parts = [f"VERILOG CHANGE, in module {job.module}:\n{fenced(intent)}", "PLACES:", *rows, text_of("choose")]
    return Prompt(unit=UNIT, system=text_of("system"), user="\n\n".join(parts))


def _signature(job: FixJob, number: int, suspect: Suspect) -> str:
    lines = job.file(suspect.file).lines
    first, last = suspect.regions[0]
    ends = (at for at in range(first, min(last, first + MOST_SIGNATURE)) if "{" in lines[at - 1])
    signature = lines[first - 1 : next(ends, first)]
    shown = [
        f"{line:5} | {lines[line - 1]}".rstrip() for line in suspect.evidence[:MOST_EVIDENCE] if line <= len(lines)
    ]
    head = f"{number}. {suspect.kind} {suspect.name}, {suspect.file}:{first}-{last}"
    return "\n".join([head, *(f"  {reason}" for reason in suspect.why), *signature, *shown])


def prompt_for(
    job: FixJob, place: int, learned: str = "", also: Sequence[Suspect] = (), *, rest: bool = False
) -> Prompt:
    """Return the prompt for the group of candidates at `place` (from 0). It starts with the text `learned` before.

    `also` are further definitions that the model requested. With `rest`, it shows the lines that the same prompt
    without it leaves out, if there are any.
    """
    candidates = job.groups[place]
    group = (*candidates, *also)
    further = _askable(job, candidates, also)
    intent = _within(job.intent, int(job.prompt_tokens * INTENT_SHARE))
    around = tokens_of("".join([text_of("form"), further, *(_shown(suspect, "") for suspect in group)]))
    left = job.prompt_tokens - tokens_of(intent) - around
    budget = max(left, int(job.prompt_tokens * LEAST_SHARE))
    rest = rest and leaves_out(job, group, budget)
    codes = listings(job, group, budget, rest=rest)
    first = place * job.together + 1
    last = first + len(candidates) - 1
    numbers = f"CANDIDATE {first}" if len(candidates) == 1 else f"CANDIDATES {first}-{last}"
    parts = [learned] if learned else []
    parts.append(f"VERILOG CHANGE, in module {job.module}:\n{fenced(intent)}")
    parts.append(f"{numbers} OF {len(job.suspects)}{REST_SHOWN if rest else ''}")
    shown = [_shown(suspect, code) for suspect, code in zip(group, codes, strict=True)]
    parts += shown[: len(candidates)]
    if also:
        parts += [f"{ALSO_SHOWN}{', '.join(one.module_id for one in also)}", *shown[len(candidates) :]]
    parts += [text_of("form"), *([further] if further else [])]
    return Prompt(unit=UNIT, system=text_of("system"), user="\n\n".join(parts))


def _askable(job: FixJob, candidates: Sequence[Suspect], also: Sequence[Suspect]) -> str:
    """Return the offer to show related definitions, with the names of some. Empty if there are none."""
    shown = {one.module_id for one in (*candidates, *also)}
    ids = {one.module_id for one in candidates}
    near = [one for one in job.related if ids & set(one.sources) and one.module_id not in shown]
    rows = [f"  {one.kind} {one.name}, {one.file}:{one.regions[0][0]}: {one.why[0]}" for one in near[:MOST_OFFERED]]
    return "\n".join([text_of("more"), *rows]) if rows else ""


def also_shown(job: FixJob, attempt: Attempt) -> list[Suspect]:
    """Return the definitions that an attempt shows besides its candidates."""
    lines = attempt.request.messages[0].text.split("\n")
    found = [line.removeprefix(ALSO_SHOWN) for line in lines if line.startswith(ALSO_SHOWN)]
    return job.called(found[-1].split(", ")) if found else []


def group_shown(job: FixJob, attempt: Attempt) -> int:
    """Return the index (from 0) of the group of candidates that an attempt shows, or the number of groups for none."""
    found = _HEADING.findall(attempt.request.messages[0].text)
    return (int(found[-1][0]) - 1) // job.together if found else len(job.groups)


def is_rest_shown(attempt: Attempt) -> bool:
    """Return whether an attempt shows the lines that an earlier one left out."""
    found = _HEADING.findall(attempt.request.messages[0].text)
    return bool(found) and str(found[-1][1]).endswith(REST_SHOWN)


def shows(job: FixJob, attempt: Attempt) -> bool:
    """Return whether an attempt is for exactly this job, and not for an earlier one in the same directory."""
    place = group_shown(job, attempt)
    return place < len(job.groups) and attempt.request.messages[0].text.endswith(
        prompt_for(job, place, also=also_shown(job, attempt), rest=is_rest_shown(attempt)).user
    )


def _shown(suspect: Suspect, code: str) -> str:
    lines = ", ".join(f"{first}-{last}" for first, last in suspect.regions)
    tier = f", tier {suspect.tier}" if suspect.tier else ""
    head = f"{suspect.kind} {suspect.name}, lines {lines}{tier}\nFILE: {suspect.file}"
    why = "\n".join(f"  {reason}" for reason in suspect.why)
    makes = "\n".join(f"  {declared}" for declared in suspect.makes)
    marked = " (* marks lines that the change speaks of)" if suspect.evidence else ""
    sections = [f"WHY HERE:\n{why}"] if why else []
    sections += [f"IT INSTANTIATES:\n{makes}"] if makes else []
    return "\n".join([head, *sections, f"CODE{marked}:", fenced(code)])


def _within(text: str, budget_tokens: int) -> str:
    """Return the first lines of `text` within the budget, with a note if there are more."""
    kept: list[str] = []
    lines = text.splitlines()
    for line in lines:
        budget_tokens -= tokens_of(line) + 1
        if budget_tokens < 0:
            return "\n".join([*kept, f"... and {_counted(len(lines) - len(kept))} more"])
        kept.append(line)
    return "\n".join(kept)


def _counted(number: int) -> str:
    return "1 line" if number == 1 else f"{number} lines"


def fenced(text: str) -> str:
    """Return `text` in a fence that is longer than any fence in it."""
    fence = fence_for(text)
    return f"{fence}\n{text}\n{fence}"


def named(suspects: Sequence[Suspect]) -> str:
    """Return the names of candidates as a comma-separated list."""
    return ", ".join(suspect.name for suspect in suspects)
