"""`retouch generate policy`."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from retouch.commands import ModelOptions, Verb, model_options, run_folder_option
from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.commands import CommandRunner
    from retouch.engine.overview import RunResult
    from retouch.recipes.policy import PolicyJob
    from retouch.recipes.policy.making.assembly import ServerOutcome
    from retouch.recipes.policy.making.judging.server_state import Value

_FILE = click.Path(path_type=Path, dir_okay=False)


@dataclass(frozen=True, kw_only=True)
class PolicyArguments(ModelOptions):
    """The arguments and options of the command. Its help describes them."""

    constitution: Path
    tools: Path
    lists: Path | None
    scenarios: Path | None
    base: Path | None
    home: str | None
    time_zone: str | None
    sandbox: str | None
    protect: tuple[str, ...]
    allow_partial: bool
    yes: bool
    output: Path | None
    cache: bool

    @property
    def folder(self) -> Path:
        """The run directory."""
        return self.output or Path("output") / f"policy-{self.constitution.stem}"

    @property
    def results(self) -> Path | None:
        """The directory with verified results of earlier runs. None with --no-cache."""
        if not self.cache:
            return None
        from platformdirs import user_cache_path

        return user_cache_path("retouch") / "policy"

    def own_ending(self) -> dict[str, JSON]:
        """Return where verified results are stored and reused."""
        return {"results": str(self.results or ""), "yes": self.yes}

    def job(self) -> PolicyJob:
        """Return the policy job. Its files are read now.

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
            raise BadInput(f"{str(path)!r} is not a file", hint="Pass an existing text file.")
        return path

    def _base(self) -> dict[str, JSON]:
        from retouch.recipes.policy.language.strict_json import read_json

        found: JSON = {} if self.base is None else read_json(self.base)
        if not isinstance(found, dict):
            raise BadInput(f"{str(self.base)!r} is not a policy", hint="Pass a file that contains an object.")
        protected = found.get("protectedPaths") or []
        given: dict[str, JSON] = {
            "home": self.home,
            "timeZone": self.time_zone,
            "allowedDirectory": self.sandbox,
            "protectedPaths": cast("JSON", [*cast("list[str]", protected), *self.protect]) if self.protect else None,
        }
        return found | {key: value for key, value in given.items() if value is not None}


@click.command(cls=Verb)
@click.argument("constitution", type=click.Path(path_type=Path))
@click.option("--tools", required=True, type=_FILE, metavar="FILE", help="The roles of each tool's arguments.")
@click.option("--lists", type=_FILE, metavar="FILE", help="Members of the lists that rules can reference with @.")
@click.option("--scenarios", type=_FILE, metavar="FILE", help="Handwritten scenarios. They are never changed.")
@click.option(
    "--base", type=_FILE, metavar="FILE", help="A policy file. Its directories and servers are used, its rules are not."
)
@click.option(
    "--home", metavar="PATH", help="The meaning of ~. Default: the value in --base, then your home directory."
)
@click.option("--time-zone", metavar="NAME", help="The zone of hours and days in the text, such as Europe/Berlin.")
@click.option("--sandbox", metavar="PATH", help="The directory in which sandboxed servers need no rule.")
@click.option("--protect", multiple=True, metavar="PATH", help="A path that no call may touch. Repeatable.")
@click.option(
    "--allow-partial", is_flag=True, help="Deny all calls of a server that does not pass, instead of failing."
)
@click.option(
    "--cache/--no-cache", default=True, help="Reuse verified results of earlier runs. They are executed again."
)
@click.option("--yes", is_flag=True, help="Confirm what each sentence means for the tools, without a question.")
@run_folder_option("output/policy-<constitution>")
@model_options("offline")
def command(**given: Any) -> int:
    """Generate rules and scenarios that agree from plain English, and prove it by execution.

    \b
      retouch generate policy constitution.md --tools annotations.json -o policy
      retouch generate policy constitution.md --tools annotations.json --model anthropic:claude-sonnet-4-5

    A model reads the text twice, once to write rules and once to write scenarios. Every scenario is executed on the
    rules. If they do not agree, a judge decides which side is wrong, and only that side is repaired. The policy is
    verified if every stored scenario passes. If a server does not pass, the run fails and its calls are denied.

    Every sentence of the text must be enforced. One that is not is an error until you rewrite it ('retouch policy
    rewrite') or waive it ('retouch policy waive'). 'retouch policy clauses' shows all sentences.

    With --json the keys are those of 'retouch generate csharp', and "failed" (servers that did not pass), "kept"
    (servers whose result was reused), "corrected" (scenarios that a judge corrected), and "clauses": [{"text", "line",
    "status", "rules", "scenarios", "why", "means", "nearest"}], and "unconfirmed" (a sentence, if nobody confirmed what
    the text means).

    In a terminal you are asked whether the sentences mean what the command shows. If you say no, policy.json is
    removed. --yes agrees without a question. Without a terminal and --yes, the output says that nobody agreed.
    """
    from retouch.recipes.policy import recipe

    arguments = PolicyArguments(**given)
    return arguments.generate(recipe, arguments.job(), arguments.folder)


def finish(runner: CommandRunner) -> int:
    """Run the loop with stored results, store the new ones, and list the servers that failed."""
    from retouch._lib.run_sync import run_sync
    from retouch.engine.calls import model_name
    from retouch.engine.verbs import read_values
    from retouch.recipes.policy.making.assembly import outcomes
    from retouch.recipes.policy.making.results import CachedModel, kept_results

    job: PolicyJob = runner.source
    results, spec = runner.ending.get("results"), model_name(runner.model)
    kept = kept_results(Path(str(results)), job, spec) if results else {}
    result = runner.generated(CachedModel(runner.model, kept) if kept else None)
    _, values = run_sync(read_values(runner.recipe, runner.folder))
    found = outcomes(job, values)
    failed = [f"{one.server}: {one.reason}" for one in found if one.reason]
    if results:
        _keep(Path(str(results)), job, values, spec)
    more = _clauses(job, found, as_json=runner.as_json)
    confirmed = True if runner.ending.get("yes") else None if runner.as_json else _confirmed(job, found)
    if confirmed is False:
        (runner.folder / "policy.json").unlink(missing_ok=True)
        click.echo("policy.json was removed. Rewrite the sentences that mean something else, and generate again.")
        return 1
    from_before = [name.removeprefix("rules/") for name in kept if name.startswith("rules/")]
    hint = f"nobody confirmed what the sentences mean; look at 'retouch policy clauses {runner.folder}', or use --yes"
    more["unconfirmed"] = [] if confirmed else [hint]
    status = runner.show(result, failed=failed, kept=from_before, **more)
    return 0 if job.allow_partial and _only_failed(result, failed, len(found)) else status


def _clauses(job: PolicyJob, found: Sequence[ServerOutcome], *, as_json: bool) -> dict[str, Any]:
    """Return the corrections of a judge, and the clauses with their status."""
    from retouch.recipes.policy.making.assembly import clauses_in

    clauses = clauses_in(job, found)
    states = [one.state for one in found if one.state is not None]
    corrected = [
        f"{one.id} to {one.expected} by {one.quote!r}" for state in states for one in state.attributed.corrections
    ]
    if as_json:
        return {"corrected": corrected, "clauses": [one.as_json() for one in clauses]}
    counted = Counter(one.status.replace("_", " ") for one in clauses)
    return {"corrected": corrected, "clauses": [f"{count} {status}" for status, count in counted.items()]}


def _confirmed(job: PolicyJob, found: Sequence[ServerOutcome]) -> bool | None:
    """Show what each sentence means, and return whether the user agrees. None if there is no terminal to ask at."""
    from retouch.commands import is_live_terminal, printable
    from retouch.recipes.policy.making.assembly import clauses_in

    if not is_live_terminal(sys.stdout) or not sys.stdin.isatty():
        return None
    for one in clauses_in(job, found):
        if one.means:
            click.echo(printable(f"{one.clause.text}\n" + "\n".join(f"    {line}" for line in one.means)))
    return click.confirm("Is this what the text means?", default=None)


def _keep(folder: Path, job: PolicyJob, values: Mapping[str, Any], model: str) -> None:
    from retouch.engine.recipe import Unread
    from retouch.recipes.policy.making.results import keep_results

    readable: dict[str, Value] = {name: one for name, one in values.items() if not isinstance(one, Unread)}
    keep_results(folder, job, readable, model)


def _only_failed(result: RunResult, failed: list[str], servers: int) -> bool:
    """Return whether the only errors are those of servers that did not pass, and at least one passed."""
    from retouch.recipes.policy.making.asking.pages import server_of

    names = {one.partition(":")[0] for one in failed}
    wrong = {server_of(issue.unit) for issue in result.issues if issue.severity == "error"}
    return bool(failed) and len(failed) < servers and wrong <= names
