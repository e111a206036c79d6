"""`retouch generate policy`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from retouch.commands import ModelOptions, Verb, model_options, printable, run_folder_option
from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.commands import CommandRunner
    from retouch.engine.overview import RunResult
    from retouch.recipes.policy import PolicyJob
    from retouch.recipes.policy.making.assembly import ServerOutcome
    from retouch.recipes.policy.making.judging.standing import Value

_FILE = click.Path(path_type=Path, dir_okay=False)


@dataclass(frozen=True, kw_only=True)
class PolicyArguments(ModelOptions):
    """The arguments and options as they were given; see the help of the command."""

    constitution: Path
    tools: Path
    lists: Path | None
    scenarios: Path | None
    base: Path | None
    home: str | None
    sandbox: str | None
    protect: tuple[str, ...]
    allow_partial: bool
    output: Path | None
    cache: bool

    @property
    def folder(self) -> Path:
        """The run folder."""
        return self.output or Path("output") / f"policy-{self.constitution.stem}"

    @property
    def results(self) -> Path | None:
        """The folder of results of earlier runs, None when they are not to be used."""
        if not self.cache:
            return None
        from platformdirs import user_cache_path

        return user_cache_path("retouch") / "policy"

    def own_ending(self) -> dict[str, JSON]:
        """Return where results of earlier runs are used and kept."""
        return {"results": str(self.results or "")}

    def job(self) -> PolicyJob:
        """Return the job, its files read now.

        Raises:
            BadInput: a file cannot be read or used.
        """
        from retouch._lib.disk import read_text
        from retouch.recipes.policy import policy_job, read_scenarios
        from retouch.recipes.policy.language.files import read_lists, read_tools
        from retouch.recipes.policy.language.strict_json import read_json
        from retouch.recipes.policy.making.runs import stored_waivers

        read_tools(self.tools)  # each file is checked by itself, so that an error names it
        if self.lists is not None:
            read_lists(self.lists)
        if self.scenarios is not None:
            read_scenarios(self.scenarios)
        return policy_job(
            constitution=read_text(self._file(self.constitution)),
            annotations=read_json(self.tools),
            lists=None if self.lists is None else read_json(self.lists),
            handwritten=None if self.scenarios is None else read_json(self.scenarios),
            base=self._base(),
            allow_partial=self.allow_partial,
            waivers=cast("JSON", stored_waivers(self.folder)),
        )

    def _file(self, path: Path) -> Path:
        if not path.is_file():
            raise BadInput(f"{str(path)!r} is not a file", hint="Name a text file that is there.")
        return path

    def _base(self) -> dict[str, JSON]:
        from retouch.recipes.policy.language.strict_json import read_json

        found: JSON = {} if self.base is None else read_json(self.base)
        if not isinstance(found, dict):
            raise BadInput(f"{str(self.base)!r} is not a policy", hint="Name a file that holds an object.")
        protected = found.get("protectedPaths") or []
        given: dict[str, JSON] = {
            "home": self.home,
            "allowedDirectory": self.sandbox,
            "protectedPaths": cast("JSON", [*cast("list[str]", protected), *self.protect]) if self.protect else None,
        }
        return found | {key: value for key, value in given.items() if value is not None}


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
@model_options("offline")
def command(**given: Any) -> int:
    """Make rules and scenarios that agree from plain English, with proof by execution.

    \b
    retouch generate policy CONSTITUTION.md --tools annotations.json --model anthropic:claude-sonnet-4-5 -o policy

    Rules and scenarios are two readings of the text by a model. Every scenario is executed on the rules; if they do not
    agree, a judge decides which one is wrong, and only that is repaired. The policy is verified when every stored
    scenario passes; a server that does not pass fails the run, and its calls are denied.

    Every sentence of the text is accounted for: one that nothing enforces is an error until it is written otherwise or
    waived ('retouch policy waive'); 'retouch policy clauses' shows them.

    With --json the keys are those of 'retouch generate csharp', and "failed", the servers that did not pass, "kept",
    those whose result an earlier run left, "corrected", what a judge corrected, and "clauses": [{"text", "line",
    "status", "rules", "scenarios", "why"}].
    """
    from retouch.recipes.policy import recipe

    arguments = PolicyArguments(**given)
    return arguments.generate(recipe, arguments.job(), arguments.folder)


def finish(runner: CommandRunner) -> int:
    """Run the loop with results of earlier runs, keep those of this one, and name the servers that failed."""
    from retouch._lib.run_sync import run_sync
    from retouch.engine.calls import model_name
    from retouch.engine.verbs import read_values
    from retouch.recipes.policy.making.assembly import outcomes
    from retouch.recipes.policy.making.results import Remembering, kept_results

    job: PolicyJob = runner.source
    results, spec = runner.ending.get("results"), model_name(runner.model)
    kept = kept_results(Path(str(results)), job, spec) if results else {}
    result = runner.generated(Remembering(runner.model, kept) if kept else None)
    _, values = run_sync(read_values(runner.recipe, runner.folder))
    found = outcomes(job, values)
    failed = [f"{one.server}: {one.reason}" for one in found if one.reason]
    if results:
        _keep(Path(str(results)), job, values, spec)
    more = _clauses(job, found, as_json=runner.as_json)
    from_before = [name.removeprefix("rules/") for name in kept if name.startswith("rules/")]
    status = runner.show(result, failed=failed, kept=from_before, **more)
    return 0 if job.allow_partial and _only_failed(result, failed, len(found)) else status


def _clauses(job: PolicyJob, found: Sequence[ServerOutcome], *, as_json: bool) -> dict[str, Any]:
    """Return what a judge corrected and what became of the clauses; name what is waived before anything else."""
    from retouch.recipes.policy.making.assembly import clauses_in

    clauses = clauses_in(job, found)
    states = [one.state for one in found if one.state is not None]
    corrected = [
        f"{one.id} to {one.expected} by {one.quote!r}" for state in states for one in state.attributed.corrections
    ]
    if as_json:
        return {"corrected": corrected, "clauses": [one.as_json() for one in clauses]}
    waived = [one.clause.text for one in clauses if one.status == "waived"]
    if waived:
        noun = "clause" if len(waived) == 1 else "clauses"
        click.echo(printable(f"{len(waived)} {noun} waived: {'; '.join(waived)}"))
    counted = Counter(one.status.replace("_", " ") for one in clauses)
    return {"corrected": corrected, "clauses": [f"{count} {status}" for status, count in counted.items()]}


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
