"""The prompts of the policy recipe: one shared system prompt, and data as fenced JSON that can be parsed again."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, cast

from retouch.edits import fence_for
from retouch.engine.types import Prompt
from retouch.recipes.policy.language.stored import stored_spec
from retouch.recipes.policy.making.asking.schemas import rules_schema, scenarios_schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.language.values import Tool
    from retouch.recipes.policy.making.asking.source import PolicyJob
    from retouch.recipes.policy.scenarios.scenario import Scenario

RULES, SCENARIOS, JUDGE = "rules", "scenarios", "judge"
LIST_SAMPLES = 8


@cache
def text_of(name: str) -> str:
    """Return the text of a prompt file."""
    place = files("retouch.recipes.policy.making.asking").joinpath("prompts", f"{name}.txt")
    return place.read_text(encoding="utf-8").rstrip()


def rules_unit(server: str) -> str:
    """Return the name of the unit with the rules of a server."""
    return f"{RULES}/{server}"


def scenarios_unit(server: str) -> str:
    """Return the name of the unit with the scenarios of a server."""
    return f"{SCENARIOS}/{server}"


def kind_of(unit: str) -> str:
    """Return the kind of a unit: rules, scenarios, or a judge's verdict."""
    return unit.partition("/")[0]


def opens_session(prompt: Prompt) -> bool:
    """Return whether another turn is likely after an answer to `prompt`: first scenarios leave gaps."""
    return kind_of(prompt.unit) == SCENARIOS


def server_of(unit: str) -> str:
    """Return the server of a unit. The units of one server are checked together."""
    rest = unit.partition("/")[2]
    return rest.partition("/")[0] if kind_of(unit) == JUDGE else rest


def plan(job: PolicyJob) -> Iterable[Prompt]:
    """Return for each server the prompt of its rules, and the prompts of its scenarios, one per page of tools."""
    system = system_text(job)
    prompts: list[Prompt] = []
    for server in job.servers:
        user, schema = _compile(job, server), rules_schema(job)
        unit = rules_unit(server)
        prompts.append(Prompt(unit=unit, is_root=True, system=system, user=user, answer_schema=schema))
        pages = job.pages_of(server)
        for page, tools in enumerate(pages, start=1):
            one = Prompt(
                unit=scenarios_unit(server),
                page=page,
                total_pages=len(pages),
                system=system,
                user=scenarios_page(job, server, tools, page=page, pages=len(pages)),
                answer_schema=scenarios_schema(job),
            )
            prompts.append(one)
    return prompts


def system_text(job: PolicyJob) -> str:
    """Return the system prompt of a job: how a policy works, and the constitution."""
    fence = fence_for(job.constitution)
    return f"{text_of('system')}\n{fence}constitution\n{job.constitution.rstrip()}\n{fence}"


def block(tag: str, value: JSON) -> str:
    """Return `value` as a fenced block with the info string `tag`, one item of a list or object per line."""
    if isinstance(value, list) and value:
        text = "[\n" + ",\n".join(_line(one) for one in value) + "\n]"
    elif isinstance(value, dict) and tag == "lists" and value:
        text = "{\n" + ",\n".join(f"{_line(key)}: {_line(one)}" for key, one in value.items()) + "\n}"
    else:
        text = _line(value)
    fence = fence_for(text)
    return f"{fence}{tag}\n{text}\n{fence}"


def _line(value: JSON) -> str:
    return json.dumps(value, ensure_ascii=False)


def server_block(job: PolicyJob, server: str) -> str:
    """Return the block with the server's declaration."""
    base = job.base
    known = base.servers.get(server)
    roles = {role for tool in job.tools_of(server) for spec in tool.args.values() for role in spec.all_roles}
    found: dict[str, JSON] = {
        "server": server,
        "allServers": cast("JSON", list(job.servers)),
        "home": base.home,
        "sandbox": base.allowed_directory,
        "workingDirectory": base.working_directory,
        "protected": cast("JSON", list(base.protected_paths)),
        "sandboxed": known is not None and known.sandboxed,
        "piecewise": known is not None and known.piecewise,
        "introspection": cast("JSON", list(known.introspection) if known is not None else []),
        "roles": cast("JSON", sorted(roles)),  # of all its tools, because a page may show only some of them
        "domainAllowlist": None
        if known is None or known.domain_allowlist is None
        else cast("JSON", list(known.domain_allowlist)),
    }
    if base.roles:
        found["ownRoles"] = {**base.roles}
    if base.time_zone is not None:
        found["timeZone"] = base.time_zone
    return block("server", found)


def tools_block(tools: Sequence[Tool], *, schemas: bool) -> str:
    """Return tools with their arguments and roles, and with `schemas` their JSON Schemas."""
    return block("tools", [_tool(tool, schemas=schemas) for tool in tools])


def _tool(tool: Tool, *, schemas: bool) -> JSON:
    args: dict[str, JSON] = {arg: stored_spec(spec) for arg, spec in tool.args.items()}
    found: dict[str, JSON] = {"tool": tool.name, "comment": tool.comment, "args": args}
    if schemas and tool.input_schema is not None:
        found["schema"] = dict(tool.input_schema)
    return found


def _lists(job: PolicyJob) -> list[str]:
    lists = job.base.lists or {}
    samples: dict[str, JSON] = {
        name: {"members": cast("JSON", list(one.effective[:LIST_SAMPLES])), "count": len(one.effective)}
        for name, one in lists.items()
    }
    return [block("lists", samples)] if samples else []


def _compile(job: PolicyJob, server: str) -> str:
    task = block("task", {"task": "compile", "server": server})
    data = (server_block(job, server), tools_block(job.tools_of(server), schemas=True), *_lists(job))
    return "\n\n".join((task, text_of("compile"), *data))


def scenarios_page(job: PolicyJob, server: str, tools: Sequence[Tool], *, page: int, pages: int) -> str:
    """Return the first message of the session about one page of tools."""
    task = block("task", {"task": "scenarios", "server": server, "page": page, "pages": pages})
    data = [server_block(job, server), tools_block(tools, schemas=True), *_lists(job)]
    names = {tool.name for tool in tools}
    covered = [one for one in job.handwritten_of(server) if one.request.tool in names]
    data += [block("handwritten", [_covered(one) for one in covered])] if covered else []
    return "\n\n".join((task, text_of("scenarios"), *data))


def _covered(scenario: Scenario) -> JSON:
    return {"request": scenario.request.as_json(), "expectedDecision": scenario.expected}
