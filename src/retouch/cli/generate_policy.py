"""`retouch generate policy`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retouch.cli.failure import printable
from retouch.cli.options import run_folder_option
from retouch.cli.policy_arguments import PolicyArguments
from retouch.cli.running import running_options
from retouch.cli.verb import Verb

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.cli.errand import Errand
    from retouch.engine.progress import RunResult
    from retouch.recipes.policy import PolicyJob
    from retouch.recipes.policy.making.judging.standing import Value

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command(cls=Verb)
@click.argument("constitution", type=click.Path(path_type=Path))
@click.option(
    "--tools", required=True, type=_FILE, metavar="FILE", help="Annotations of the tools: roles of arguments."
)
@click.option("--lists", type=_FILE, metavar="FILE", help="Members of the lists that rules may name with @.")
@click.option("--scenarios", type=_FILE, metavar="FILE", help="Handwritten scenarios; they are never changed.")
@click.option("--base", type=_FILE, metavar="FILE", help="A policy file: its folders and servers hold, not its rules.")
@click.option("--home", metavar="PATH", help="What ~ means; else what --base says, else your home.")
@click.option("--sandbox", metavar="PATH", help="The folder where sandboxed servers need no rule.")
@click.option("--protect", multiple=True, metavar="PATH", help="A path that nothing may touch; may be repeated.")
@click.option(
    "--allow-partial", is_flag=True, help="Deny the calls of a server that does not pass, instead of failing."
)
@click.option("--cache/--no-cache", default=True, help="Use verified results of earlier runs, executed again.")
@run_folder_option("output/policy-<constitution>")
@running_options("offline")
def command(**given: Any) -> int:
    """Make rules and scenarios that agree from plain English, with proof by execution.

    \b
    retouch generate policy CONSTITUTION.md --tools annotations.json --model anthropic:claude-sonnet-4-5 -o policy

    Rules and scenarios are two readings of the text by a model. Every scenario is executed on the rules; where they do
    not agree a judge says which one is wrong, and only that is mended. The policy is verified when every scenario that
    is stored passes; a server that does not pass fails the run, and its calls are denied.

    Every sentence of the text is accounted for: one that nothing enforces is an error until it is said otherwise or
    waived ('retouch policy waive'); 'retouch policy clauses' shows them.

    With --json the keys are those of 'retouch generate csharp', and "failed", the servers that did not pass, "kept",
    those whose result an earlier run left, "corrected", what a judge corrected, and "clauses": [{"text", "line",
    "status", "rules", "scenarios", "why"}].
    """
    from retouch.recipes.policy import recipe

    arguments = PolicyArguments(**given)
    return arguments.generate(recipe, arguments.job(), arguments.folder)


def carry_out(errand: Errand) -> int:
    """Go through the loop with results of earlier runs, keep those of this one, and name the servers that failed."""
    from retouch.engine.calls import model_name
    from retouch.engine.door import wait_for
    from retouch.engine.loop import read_values
    from retouch.recipes.policy.making.assembly import clauses_in, outcomes
    from retouch.recipes.policy.making.results import Remembering, kept_results

    job: PolicyJob = errand.source
    results, spec = errand.ending.get("results"), model_name(errand.model)
    kept = kept_results(Path(str(results)), job, spec) if results else {}
    result = errand.generated(Remembering(errand.model, kept) if kept else None)
    _, values = wait_for(read_values(errand.recipe, errand.folder))
    found = outcomes(job, values)
    failed = [f"{one.server}: {one.reason}" for one in found if one.reason]
    if results:
        _keep(Path(str(results)), job, values, spec)
    clauses = clauses_in(job, found)
    corrected = [
        f"{one.id} to {one.expected} by {one.quote!r}"
        for server in found
        if server.state is not None
        for one in server.state.attributed.corrections
    ]
    waived = [one.clause.text for one in clauses if one.status == "waived"]
    if waived and not errand.as_json:
        noun = "clause is" if len(waived) == 1 else "clauses are"
        click.echo(printable(f"{len(waived)} {noun} waived: {'; '.join(waived)}"))
    counted = Counter(one.status.replace("_", " ") for one in clauses)
    entries: Any = [one.as_json() for one in clauses]
    shown = entries if errand.as_json else [f"{count} {status}" for status, count in counted.items()]
    from_before = [name.removeprefix("rules/") for name in kept if name.startswith("rules/")]
    status = errand.show(result, failed=failed, kept=from_before, corrected=corrected, clauses=shown)
    return 0 if job.allow_partial and _only_failed(result, failed, len(found)) else status


def _keep(folder: Path, job: PolicyJob, values: Mapping[str, Any], model: str) -> None:
    from retouch.engine.recipe import Unread
    from retouch.recipes.policy.making.results import keep_results

    readable: dict[str, Value] = {name: one for name, one in values.items() if not isinstance(one, Unread)}
    keep_results(folder, job, readable, model)


def _only_failed(result: RunResult, failed: list[str], servers: int) -> bool:
    """Return whether nothing is wrong but servers that did not pass, and some did."""
    from retouch.recipes.policy.making.asking.pages import server_of

    names = {one.partition(":")[0] for one in failed}
    wrong = {server_of(issue.unit) for issue in result.issues if issue.severity == "error"}
    return bool(failed) and len(failed) < servers and wrong <= names
