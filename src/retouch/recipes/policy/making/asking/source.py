"""The source of the policy recipe: the text, the tools, and the settings for decisions that come before any rule."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pydantic import Field, StrictStr

from retouch.errors import BadInput
from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.english.clauses import bare, clauses_of
from retouch.recipes.policy.language.files import checked
from retouch.recipes.policy.language.forms import Known
from retouch.recipes.policy.language.policy import Policy
from retouch.recipes.policy.language.semantics import LATEST
from retouch.recipes.policy.scenarios.files import scenarios_in
from retouch.recipes.policy.scenarios.filters import filter_scenarios, refuse_handwritten

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.english.clauses import Clause
    from retouch.recipes.policy.language.values import Tool
    from retouch.recipes.policy.scenarios.scenario import Scenario

TOOLS_PER_PAGE = 25
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")


@dataclass(frozen=True, kw_only=True)
class PolicyJob:
    """The source of the policy recipe.

    `frame` is a stored policy without rules: tools, directories, servers, lists. `handwritten` are scenarios in stored
    form. `page_tools` maps a server to its number of tools per page, if it is not the default. With `allow_partial`, a
    rule denies the calls of a server that does not pass. `waivers` are clauses that the user lets pass without a rule,
    each with `clause`, `reason`, `who`, `when`.
    """

    constitution: str
    frame: dict[str, Any]
    handwritten: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    page_tools: dict[str, int] = field(default_factory=dict[str, int])
    allow_partial: bool = False
    waivers: list[dict[str, str]] = field(default_factory=list[dict[str, str]])

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        """The sentences of the constitution, in order."""
        return clauses_of(self.constitution)

    @cached_property
    def base(self) -> Policy:
        """The policy of all servers, without rules."""
        return Policy.of_json(self.frame, name="frame")

    @cached_property
    def servers(self) -> tuple[str, ...]:
        """The servers that need rules, in the order of their tools. Trusted servers need none."""
        names = dict.fromkeys(server for server, _ in self.base.tools)
        return tuple(name for name in names if name not in self.base.servers or not self.base.servers[name].trusted)

    @cached_property
    def handwritten_scenarios(self) -> tuple[Scenario, ...]:
        """The handwritten scenarios."""
        found = scenarios_in([*self.handwritten], name="handwritten scenarios")
        return tuple(replace(one, source="handwritten") for one in found)

    def tools_of(self, server: str) -> tuple[Tool, ...]:
        """Return the tools of a server, in order."""
        return tuple(tool for (owner, _), tool in self.base.tools.items() if owner == server)

    def frame_of(self, server: str) -> Policy:
        """Return the policy of one server, without rules."""
        frame = self._frames.get(server)
        if frame is None:
            tools = {key: tool for key, tool in self.base.tools.items() if key[0] == server}
            frame = self._frames[server] = replace(self.base, tools=tools)
        return frame

    @cached_property
    def _frames(self) -> dict[str, Policy]:
        return {}

    def handwritten_of(self, server: str) -> tuple[Scenario, ...]:
        """Return the handwritten scenarios about a server."""
        return tuple(one for one in self.handwritten_scenarios if one.request.server == server)

    def pages_of(self, server: str) -> list[tuple[Tool, ...]]:
        """Return the tools of a server, divided into pages."""
        tools, size = self.tools_of(server), self.page_tools.get(server, TOOLS_PER_PAGE)
        return [tools[start : start + size] for start in range(0, len(tools), size)]


def policy_job(
    *,
    constitution: str,
    annotations: JSON,
    lists: JSON = None,
    handwritten: JSON = None,
    base: Mapping[str, JSON] | None = None,
    allow_partial: bool = False,
    waivers: JSON = None,
) -> PolicyJob:
    """Return the job that compiles `constitution` to a policy.

    `annotations`, `lists` and `handwritten` are the contents of these files. `base` has other keys of a policy file:
    home, allowedDirectory, protectedPaths, servers. Its rules are ignored.

    Raises:
        BadInput: the text is empty, something has another shape, or a handwritten scenario proves nothing.
    """
    if not constitution.strip():
        raise BadInput("the constitution is empty", hint="Write in plain English what an agent may do.")
    if not clauses_of(constitution):
        raise BadInput("the constitution has no sentence, only headings", hint="Write what an agent may do.")
    known = lists.get("lists", lists) if isinstance(lists, dict) else lists
    own: dict[str, JSON] = {"semantics": LATEST, "rules": [], "annotations": annotations, "dynamicLists": known or {}}
    ignored_keys = {"rules", "listDefinitions", "annotationsRef", "verified", "failed", "skipped"}
    value = {key: one for key, one in (base or {}).items() if key not in ignored_keys} | own
    frame = Policy.of_json(value, name="tools, lists and base").as_json()
    stored = handwritten.get("scenarios", []) if isinstance(handwritten, dict) else handwritten
    scenarios = scenarios_in(stored or [], name="handwritten scenarios")
    job = PolicyJob(
        constitution=constitution,
        frame=frame,
        handwritten=[replace(one, source="handwritten").as_json() for one in scenarios],
        allow_partial=allow_partial,
        waivers=waivers_in(waivers),
    )
    _expect_usable(job)
    return job


class WaiverForm(Known):
    """One clause that the user lets pass without a rule."""

    clause: StrictStr = Field(min_length=1)
    reason: StrictStr = Field(min_length=1)
    who: StrictStr = ""
    when: StrictStr = ""


class WaiversForm(Known):
    """A file of waivers."""

    waivers: list[WaiverForm]


def waivers_in(value: JSON, *, name: str = "waivers") -> list[dict[str, str]]:
    """Return the waivers of a file: an object with `waivers`, or only the list. None is no waivers.

    Raises:
        BadInput: one has no clause or no reason, or an unknown key.
    """
    whole: JSON = {"waivers": value or []} if isinstance(value, (list, type(None))) else value
    return [one.model_dump() for one in checked(WaiversForm, whole, name=name).waivers]


def waiver_of(job: PolicyJob, clause: Clause) -> dict[str, str] | None:
    """Return the waiver of a clause, None if it has none."""
    return next((one for one in job.waivers if bare(one["clause"]) == bare(clause.text)), None)


def _expect_usable(job: PolicyJob) -> None:
    for server in job.servers:
        if not _NAME.fullmatch(server):
            hint = "Use letters, digits, '.', '_' and '-'."
            raise BadInput(f"the server name {server!r} cannot be used as a directory name", hint=hint)
    if not job.servers:
        raise BadInput("the annotations have no tool that needs rules", hint="Annotate the tools first.")
    for one in job.handwritten_scenarios:
        if one.request.server not in job.servers:
            what = f"the handwritten scenario {one.description!r} is for {one.request.server!r}"
            raise BadInput(f"{what}, which needs no rules", hint=f"The servers are: {', '.join(job.servers)}.")
    refuse_handwritten(filter_scenarios(job.base, job.handwritten_scenarios, surroundings=LEXICAL).discards)


def smaller(job: PolicyJob, unit: str) -> PolicyJob:
    """Return the job with half as many tools per page of the scenarios `unit`, or the same job if impossible."""
    kind, _, server = unit.partition("/")
    largest = max((len(page) for page in job.pages_of(server)), default=0) if server in job.servers else 0
    if kind != "scenarios" or largest < 2:
        return job
    return replace(job, page_tools={**job.page_tools, server: (largest + 1) // 2})


def heading(job: PolicyJob) -> Mapping[str, JSON]:
    """Return the description of the job for the head of `pages.json`."""
    servers: list[JSON] = list(job.servers)
    return {"source": {"servers": servers, "tools": len(job.base.tools), "handwritten": len(job.handwritten)}}
