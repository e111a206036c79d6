"""The judge's prompts: failures, and calls without an expected decision. One unit per round."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from retouch.engine.types import Prompt
from retouch.recipes.policy.language.stored import stored_rule
from retouch.recipes.policy.making.asking.pages import JUDGE, block, server_block, system_text, text_of, tools_block
from retouch.recipes.policy.making.asking.schemas import verdict_schema
from retouch.recipes.policy.making.judging.ledger import with_unquoted
from retouch.recipes.policy.making.judging.server_state import MAX_ROUNDS, ServerState, Value
from retouch.recipes.policy.scenarios.scenario import request_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.making.asking.source import PolicyJob
    from retouch.recipes.policy.scenarios.execution import Execution

MAX_SHOWN = 40


def then(job: PolicyJob, values: Mapping[str, Value]) -> Iterable[Prompt]:
    """Return a judge's prompt for each server with failures or uncovered calls that no judge has seen."""
    return [_prompt(one) for one in with_unquoted(job, values) if wants_judge(one)]


def wants_judge(state: ServerState) -> bool:
    """Return whether there is something that no judge has seen, and a round left."""
    asked = [one.unit for one in state.present]
    if len(asked) >= MAX_ROUNDS:
        return False
    rules = state.basis.partition("-")[0]
    if state.withheld and not asked[-1].rpartition("-")[0].endswith(rules):
        return True
    if not any(name.endswith(state.basis) for name in asked):
        return bool(state.undecided or state.derived or state.unquoted)
    # The last prompt was full, so the other failures are shown in the next one.
    return len(state.present[-1].blames) >= MAX_SHOWN and bool(state.unnamed)


def _prompt(state: ServerState) -> Prompt:
    number = len(state.present) + 1
    name = f"{JUDGE}/{state.server}/{state.edition}-{number}-{state.basis}"
    concerned = {one.scenario.request.tool for one in state.undecided} | {gap.tool for gap in state.derived}
    asks_about_clauses = bool(state.unquoted)  # any tool can be what a clause is about
    tools = [tool for tool in state.job.tools_of(state.server) if asks_about_clauses or tool.name in concerned]
    passing = len(state.executions) - len(state.failures)
    parts = [
        block("task", {"task": "judge", "server": state.server, "round": number}),
        text_of("judge"),
        server_block(state.job, state.server),
        tools_block(tools, schemas=asks_about_clauses),
        block("rules", [stored_rule(rule) for rule in state.rules.rules]),
        block("digest", {"scenarios": len(state.executions), "passing": passing}),
        failures_block(state, _failures_to_show(state)),
        block("uncovered", [{"id": request_id(g.example), "request": g.example.as_json()} for g in state.derived]),
    ]
    if state.unquoted:
        parts += [block("clauses", [one.text for one in state.unquoted]), *_elsewhere(state)]
    schema = verdict_schema(state.job)
    return Prompt(unit=name, system=system_text(state.job), user="\n\n".join(parts), answer_schema=schema)


def _elsewhere(state: ServerState) -> Iterable[str]:
    """Yield the rules and tools of the other servers. They may enforce a clause, too."""
    for one in state.other_servers:
        tools: list[JSON] = [tool.name for tool in one.job.tools_of(one.server)]
        rules: list[JSON] = [stored_rule(rule) for rule in one.rules.rules]
        yield block("elsewhere", {"server": one.server, "tools": tools, "rules": rules})


def _failures_to_show(state: ServerState) -> Sequence[Execution]:
    named = [one for one in state.undecided if one not in state.unnamed]
    return [*state.unnamed, *named][:MAX_SHOWN]


def failures_block(state: ServerState, failures: Sequence[Execution], *, blames: bool = False) -> str:
    """Return failures as data. With `blames`, a judge's verdict on each is included."""
    return block("failures", [_failure(state, one, blames=blames) for one in failures])


def _failure(state: ServerState, execution: Execution, *, blames: bool) -> JSON:
    scenario = execution.scenario
    found: dict[str, JSON] = {
        "id": scenario.id,
        "description": scenario.description,
        "request": scenario.request.as_json(),
        "expected": scenario.expected,
        "decided": execution.decision,
        "rule": execution.rule,
        "reasoning": scenario.reasoning,
        "source": scenario.source,
    }
    if blames and state.is_confirmed(scenario):
        blame = state.attributed.confirmed[scenario.id][1]
        found["blame"] = cast("JSON", {"kind": blame.kind, "reasoning": blame.reasoning, "quote": blame.quote})
    return found
