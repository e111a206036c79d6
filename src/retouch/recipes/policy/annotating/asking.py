"""Requests the roles of arguments and the members of lists from a model. Code checks every proposal.

The proposals are only ever a file: the user accepts each one before a policy uses it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from pydantic import BaseModel, Field, StrictStr

from retouch.edits import fence_for
from retouch.engine.recipe import Read, Recipe, TierPlan, Unread
from retouch.engine.types import Issue, Prompt, Tier
from retouch.errors import BadInput, Invalid
from retouch.recipes.policy.annotating.proposing import ListedTool, arguments_of
from retouch.recipes.policy.language.files import checked
from retouch.recipes.policy.language.forms import Open
from retouch.recipes.policy.resources.roles import ROLES
from retouch.text import json_values

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.engine.options import RunOptions
    from retouch.recipes.policy.language.values import ListDef

M = TypeVar("M", bound=BaseModel)
TOOLS_PER_PAGE = 10
MAX_MEMBERS = 100
_ROLES = "roles"
_HOST = re.compile(r"(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]")
_EMAIL = re.compile(r"[^@\s,;<>\"*]+@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]", re.IGNORECASE)
_NAME = re.compile(r"\S(?:[^\x00-\x1f\x7f]{0,198}\S)?")
_FORMS = {"domains": _HOST, "emails": _EMAIL, "identifiers": _NAME}


@dataclass(frozen=True, kw_only=True)
class ProposalJob:
    """What is requested from a model: roles of the arguments of `tools`, or members of `lists`.

    A tool has `name`, `description` and `schema`; a list has `name`, `type`, `principle` and `prompt`. `own_roles` are
    roles of the user with their descriptions.
    """

    server: str = ""
    tools: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    own_roles: dict[str, str] = field(default_factory=dict[str, str])
    lists: list[dict[str, str]] = field(default_factory=list[dict[str, str]])


class ProposedRoles(Open):
    """The roles that a model proposes for one argument. `evidence` is a quote from the text of its tool."""

    tool: StrictStr
    arg: StrictStr
    roles: list[StrictStr] = Field(min_length=1)
    evidence: StrictStr
    reason: StrictStr = ""


class ProposedMember(Open):
    """One member that a model proposes for a list."""

    value: StrictStr
    why: StrictStr = ""


class _RolesForm(Open):
    arguments: list[ProposedRoles]


class _MembersForm(Open):
    members: list[ProposedMember] = Field(min_length=1, max_length=MAX_MEMBERS)


Proposals: TypeAlias = "tuple[ProposedRoles, ...] | tuple[ProposedMember, ...]"


def role_job(server: str, tools: Sequence[ListedTool], own_roles: Mapping[str, str]) -> ProposalJob:
    """Return the job that requests the roles of all arguments of a server's tools."""
    found = [{"name": one.name, "description": one.description, "schema": dict(one.schema)} for one in tools]
    return ProposalJob(server=server, tools=found, own_roles=dict(own_roles))


def list_job(lists: Iterable[ListDef]) -> ProposalJob:
    """Return the job that requests the members of lists."""
    found = [{"name": one.name, "type": one.type, "principle": one.principle, "prompt": one.prompt} for one in lists]
    return ProposalJob(lists=found)


def _tool_of(value: Mapping[str, Any]) -> ListedTool:
    return ListedTool(name=value["name"], description=value["description"], schema=value["schema"], hints={})


def _pages(job: ProposalJob) -> list[list[ListedTool]]:
    tools = [one for one in map(_tool_of, job.tools) if arguments_of(one)]
    return [tools[start : start + TOOLS_PER_PAGE] for start in range(0, len(tools), TOOLS_PER_PAGE)]


@cache
def _prompt_text(name: str) -> str:
    return (
        files("retouch.recipes.policy.annotating")
        .joinpath("prompts", f"{name}.txt")
        .read_text(encoding="utf-8")
        .rstrip()
    )


def _data(value: JSON) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=1)
    fence = fence_for(text)
    return f"{fence}json\n{text}\n{fence}"


def plan(job: ProposalJob) -> Iterator[Prompt]:
    """Yield the prompts: one for each ten tools, and one for each list."""
    pages = _pages(job)
    known = {name: f"{one.description}. {one.guidance}".strip() for name, one in ROLES.items()} | job.own_roles
    roles = f"ROLES\n{_data(cast('JSON', known))}"
    for number, tools in enumerate(pages, start=1):
        shown: list[JSON] = [
            {"tool": one.name, "description": one.description, "arguments": cast("JSON", arguments_of(one))}
            for one in tools
        ]
        yield Prompt(
            unit=_ROLES,
            page=number,
            total_pages=len(pages),
            is_root=True,
            system=f"{_prompt_text('roles')}\n\n{roles}",
            user=f"SERVER {job.server}\n\nTOOLS\n{_data(shown)}",
            answer_schema=_roles_schema(tuple(known)),
        )
    for one in job.lists:
        yield Prompt(
            unit=f"list/{one['name']}",
            is_root=True,
            system=_prompt_text("lists"),
            user=f"LIST\n{_data(cast('JSON', one))}",
            answer_schema=_MEMBERS_SCHEMA,
        )


def _text(most: int) -> dict[str, Any]:
    return {"type": "string", "maxLength": most}


def _entries(key: str, properties: Mapping[str, Any], most: int) -> dict[str, Any]:
    item = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    found = {key: {"type": "array", "items": item, "maxItems": most}}
    return {"type": "object", "properties": found, "required": [key], "additionalProperties": False}


def _roles_schema(known: tuple[str, ...]) -> dict[str, Any]:
    roles = {"type": "array", "items": {"enum": list(known)}, "maxItems": 6}
    texts = {"tool": _text(200), "arg": _text(200), "roles": roles, "evidence": _text(400), "reason": _text(300)}
    return _entries("arguments", texts, 400)


_MEMBERS_SCHEMA = _entries("members", {"value": _text(200), "why": _text(300)}, MAX_MEMBERS)


def read(job: ProposalJob, unit: str, pages: Sequence[str]) -> Read[Proposals]:
    """Return the proposals of a unit, and the issues of those that code cannot confirm."""
    if unit != _ROLES:
        (definition,) = (one for one in job.lists if f"list/{one['name']}" == unit)
        members = tuple(_answer_in(pages[0], _MembersForm).members)
        return Read(members, [*_member_issues(unit, definition["type"], members)])
    found: list[ProposedRoles] = []
    issues: list[Issue] = []
    for number, (text, tools) in enumerate(zip(pages, _pages(job), strict=True), start=1):
        proposed = _answer_in(text, _RolesForm).arguments
        issues += (_issue(unit, number, *one) for one in _role_problems(job, proposed, tools))
        found += proposed
    return Read(tuple(found), issues)


def _answer_in(text: str, form: type[M]) -> M:
    wrong: BadInput | None = None
    for value in json_values(text, []):
        try:
            return checked(form, value, name="the answer")
        except BadInput as error:
            wrong = wrong or error
    if wrong is not None:
        raise Invalid("WRONG_SHAPE", wrong.message, fix="Answer in the requested form.", tier=Tier.SCHEMA)
    raise Invalid("INVALID_JSON", "the reply contains no JSON", fix="Reply with one JSON value and nothing else.")


def _issue(unit: str, page: int, code: str, message: str, fix: str) -> Issue:
    return Issue(code=code, message=message, tier=Tier.SCHEMA, unit=unit, page=page, fix=fix)


def _role_problems(
    job: ProposalJob, proposed: Sequence[ProposedRoles], tools: Sequence[ListedTool]
) -> Iterator[tuple[str, str, str]]:
    texts = {(tool.name, arg): text_of(tool, arg) for tool in tools for arg in arguments_of(tool)}
    names = [(one.tool, one.arg) for one in proposed]
    for one in proposed:
        label = f"{one.tool}.{one.arg}"
        if (one.tool, one.arg) not in texts:
            yield "NO_SUCH_ARGUMENT", f"no tool of this page has the argument {label!r}", "Leave the entry out."
            continue
        if names.count((one.tool, one.arg)) > 1:
            yield "PROPOSED_TWICE", f"{label!r} has several entries", "Write one entry with all its roles."
        strange = [role for role in one.roles if role not in ROLES and role not in job.own_roles]
        if strange or ("none" in one.roles and len(one.roles) > 1):
            what = f"{strange[0]!r} is no role" if strange else "'none' stands alone"
            yield "NO_SUCH_ROLE", f"{label!r}: {what}", f"Choose among {', '.join((*ROLES, *job.own_roles))}."
        if not is_quoted(one.evidence, texts[one.tool, one.arg]):
            why = f"{label!r}: the evidence {one.evidence!r} does not occur in the text of the tool"
            yield "EVIDENCE_NOT_FOUND", why, "Copy a part of the tool's name, description or argument to the letter."
    for tool, arg in texts:
        if (tool, arg) not in names:
            yield "ARGUMENT_WITHOUT_ROLES", f"{tool}.{arg} has no entry", 'Add an entry; its roles may be ["none"].'


def text_of(tool: ListedTool, arg: str) -> str:
    """Return the text of a tool that can be evidence about an argument: names, descriptions, and its schema."""
    schema = json.dumps(arguments_of(tool)[arg], ensure_ascii=False)
    described = arguments_of(tool)[arg].get("description")
    return "\n".join((tool.name, tool.description, arg, described if isinstance(described, str) else "", schema))


def is_quoted(evidence: str, text: str) -> bool:
    """Return whether a quote of at least two characters occurs in a text. White space may differ."""
    quote = " ".join(evidence.split())
    return len(quote) > 1 and quote in " ".join(text.split())


def _member_issues(unit: str, kind: str, members: Sequence[ProposedMember]) -> Iterator[Issue]:
    values = [one.value for one in members]
    for one in dict.fromkeys(values):
        if not _FORMS[kind].fullmatch(one):
            yield _issue(unit, 1, "NO_SUCH_MEMBER", f"{one!r} is not a member of type {kind}", "Correct or remove it.")
        if values.count(one) > 1:
            yield _issue(unit, 1, "PROPOSED_TWICE", f"{one!r} is proposed twice", "Write each member once.")


def _check(_job: ProposalJob, _values: Mapping[str, Proposals], _options: RunOptions) -> list[Issue]:
    return []


def _tiers(_job: ProposalJob) -> tuple[TierPlan, ...]:
    return TierPlan(tier=1, name="syntax"), TierPlan(tier=2, name="names and evidence")


def _assemble(_job: ProposalJob, values: Mapping[str, Proposals | Unread]) -> dict[str, str]:
    read = {name: one for name, one in values.items() if not isinstance(one, Unread)}
    found = {name: [member.model_dump() for member in one] for name, one in read.items()}
    return {"proposals.json": json.dumps(found, ensure_ascii=False, indent=2) + "\n"}


recipe = Recipe[ProposalJob, Proposals](
    name="policy-proposals", source=ProposalJob, plan=plan, read=read, check=_check, assemble=_assemble, tiers=_tiers
)
