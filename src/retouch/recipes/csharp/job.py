"""The csharp recipe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.engine.recipe import Recipe, TierPlan
from retouch.engine.repair import Correction, Repair
from retouch.recipes.csharp.answering.faults import faults
from retouch.recipes.csharp.answering.offline import answer
from retouch.recipes.csharp.asking.pages import plan as plan_code
from retouch.recipes.csharp.asking.paging import in_smaller_pages, type_named
from retouch.recipes.csharp.checking.answers import read as read_code
from retouch.recipes.csharp.ir import Endpoint
from retouch.recipes.csharp.writing.code import CsCode
from retouch.recipes.csharp.writing.files import assemble as assemble_code
from retouch.recipes.csharp.writing.files import blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.engine.options import RunOptions
    from retouch.engine.parts import PageParts
    from retouch.engine.recipe import Read, Section, Unread
    from retouch.engine.types import Attempt, Issue, Prompt

RUN_TIME = TierPlan(tier=4, name="run time")
PACK = 20  # pages in one request, at most
_CLASS = Correction(
    noun="type",
    reminders=(
        "Do not introduce any types not listed in NESTED TYPES / TYPE REFERENCE.",
        "Do not omit any fields listed in this page's FIELDS section.",
    ),
)
_ENUM = Correction(noun="type", reminders=("Do not omit any values listed in this page's VALUES section.",))


_MEANING = Correction(noun="type", reminders=("Reply with JSON alone, in the form that the instructions describe.",))


def plan(source: Endpoint) -> Iterable[Prompt]:
    """Return the prompts of a run: about the meaning of its types, or for their code."""
    if source.ask == "transcript":
        return plan_code(source)
    from retouch.recipes.csharp.meaning.asking import plan_meaning

    return plan_meaning(source)


def read(source: Endpoint, unit: str, pages: Sequence[str]) -> Read[CsCode]:
    """Return the code of a type from its answers, with the issues of tiers 1 and 2."""
    if source.ask == "meaning":
        from retouch.recipes.csharp.meaning.answers import read_meaning

        return read_meaning(source, unit, pages)
    return read_code(source, unit, pages)


def assemble(source: Endpoint, values: Mapping[str, CsCode | Unread]) -> Mapping[str, str]:
    """Return the files of a run: the C# file, schema.md, and the files of a project."""
    if source.ask == "meaning":
        from retouch.recipes.csharp.meaning.whole import assemble_meaning

        return assemble_meaning(source, values)
    return assemble_code(source, values)


def pack(source: Endpoint) -> int:
    """Return the maximum number of pages per request: several if it requests the meaning, else none."""
    return PACK if source.ask == "meaning" else 0


def repair(source: Endpoint, unit: str, _issues: Sequence[Issue], _attempts: Sequence[Attempt], /) -> Repair:
    """Return the correction for a class or an enum, or for proposals about them."""
    if source.ask == "meaning":
        return _MEANING
    return _ENUM if type_named(source, unit).kind == "enum" else _CLASS


async def check(source: Endpoint, values: Mapping[str, CsCode], options: RunOptions) -> Iterable[Issue]:
    """Return the issues of compiling the assembled file, and of executing its types if that is requested."""
    if source.ask == "meaning":
        from retouch.recipes.csharp.meaning.whole import check_meaning

        found = [*await check_meaning(source, values, options)]
    else:
        from retouch.recipes.csharp.compilers.check import check as compile_and_check

        found = await compile_and_check(source, values, options)
    if not (source.runtime or options.runtime) or any(issue.is_error for issue in found):
        return found
    from retouch.recipes.csharp.runtime.tier import run_time_issues
    from retouch.recipes.csharp.writing.files import compose

    if source.ask == "transcript":
        text = compose(source, {name: code.text for name, code in values.items()})
        return [*found, *await run_time_issues(source, text, values.keys(), options, {})]
    from retouch.recipes.csharp.meaning.whole import whole_run

    run = whole_run(source, values)
    text = compose(run.marked, run.codes)
    return [*found, *await run_time_issues(run.endpoint, text, values.keys(), options, run.owners)]


def mend(source: Endpoint, unit: str, pages: Sequence[str], issues: Sequence[Issue]) -> Sequence[str] | None:
    """Return the pages of a type with automatic fixes, or None if no fix improves them."""
    if source.ask == "meaning":
        return None
    from retouch.recipes.csharp.fixes.steps import fix_pages

    return fix_pages(source, unit, pages, issues)


def in_parts(source: Endpoint, prompt: Prompt) -> PageParts | None:
    """Return the two parts of a page of C#, or None if it is too short. Proposals are requested by field instead."""
    if source.ask == "meaning":
        return None
    from retouch.recipes.csharp.halves import in_parts

    return in_parts(source, prompt)


def page_errors(source: Endpoint, unit: str, page: int, text: str) -> Sequence[Issue]:
    """Return the errors of the form of one page of C# that no automatic fix can repair."""
    if source.ask == "meaning":
        return ()
    from retouch.recipes.csharp.fixes.steps import form_errors

    return form_errors(source, unit, page, text)


def adopted(source: Endpoint, _unit: str, text: str) -> str:
    """Return a manual edit of a type as its answer. Among proposals, it is marked, because models answer in C# too."""
    if source.ask == "transcript":
        return text
    from retouch.recipes.csharp.meaning.edits import sealed_edit

    return sealed_edit(text)


def heading(source: Endpoint) -> Mapping[str, JSON]:
    """Return the description of the endpoint at the top of `pages.json`."""
    if source.served:
        return {"project": source.namespace}
    return {"endpoint": {"method": source.method, "path": source.path}}


def outdated(source: Endpoint, directory: Path) -> Sequence[Issue]:
    """Return a warning if the user settled something in `decisions.json` that the types were not made from."""
    if source.ask == "transcript":
        return ()
    from retouch.recipes.csharp.meaning.decisions import changed_decisions

    return changed_decisions(source, directory)


def report(source: Endpoint, values: Mapping[str, CsCode | Unread]) -> Iterable[Section]:
    """Return the sections about the types and the document."""
    from retouch.recipes.csharp.sections import report as sections

    return sections(source, values)


def tiers(endpoint: Endpoint) -> tuple[TierPlan, ...]:
    """Return the checks of a run: the form of the answers, the document's schema, and a compiler.

    No compiler sees that System.Text.Json refuses an enum member whose name is empty or has blanks around it: it throws
    for every payload. If the document has one, what happens at run time is declared too, as not run. So are endpoints
    of a project that could not be read: what they return is neither written nor checked.
    """
    found = (
        TierPlan(tier=1, name="syntax"),
        TierPlan(tier=2, name="schema"),
        TierPlan(tier=3, name="compiler"),
    )
    if endpoint.runtime:
        found = (*found, RUN_TIME)
    if "context" in endpoint.extras:
        why = "the source generator of System.Text.Json was not run on the file of the context"
        found = (*found, TierPlan(tier=5, name="context", why=why, next="dotnet build"))
    unread = [one.endpoint for one in endpoint.served if one.error]
    if unread:
        why = f"{len(unread)} of {len(endpoint.served)} endpoints could not be read, for example {unread[0]}"
        return (*found, TierPlan(tier=found[-1].tier + 1, name="endpoints", why=why, next="See endpoints.md"))
    if endpoint.runtime:
        return found
    values = ((type_.name, one.value) for type_ in endpoint.types if not type_.open for one in type_.values)
    texts = ((name, value) for name, value in values if isinstance(value, str))
    refused = next(((name, text) for name, text in texts if not text or text != text.strip()), None)
    if refused is None:
        return found
    why = f"System.Text.Json throws for the value {refused[1]!r} of {refused[0]}"
    return (
        *found[:3],
        TierPlan(tier=4, name=RUN_TIME.name, why=why, next="Read such a property as a string"),
        *found[3:],
    )


def asked_tiers(endpoint: Endpoint, options: RunOptions) -> tuple[TierPlan, ...]:
    """Return tier 4 if an option requests it and the source neither declares it nor explains why it cannot pass."""
    declared = any(plan.name == RUN_TIME.name for plan in tiers(endpoint))
    return (RUN_TIME,) if options.runtime and not declared else ()


recipe = Recipe[Endpoint, CsCode](
    name="csharp",
    source=Endpoint,
    plan=plan,
    read=read,
    check=check,
    assemble=assemble,
    tiers=tiers,
    asked_tiers=asked_tiers,
    mend=mend,
    faults=faults,
    repair=repair,
    page_errors=page_errors,
    in_parts=in_parts,
    smaller=in_smaller_pages,
    offline=answer,
    offline_complete=True,
    blocks=blocks,
    adopted=adopted,
    heading=heading,
    outdated=outdated,
    report=report,
    pack=pack,
)
