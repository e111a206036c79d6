"""Answers the prompts of the policy recipe without a model, for constitutions in controlled English.

Rules are compiled from the sentences. Expectations and verdicts come from a second reading of the sentences that does
not use the rules. Questions that the sentences leave open get no answer.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from retouch.errors import BadInput
from retouch.recipes.policy.analysing.completing import completed
from retouch.recipes.policy.english import Reading, draft_rules
from retouch.recipes.policy.english.background import is_background
from retouch.recipes.policy.english.clauses import bare
from retouch.recipes.policy.english.compiling import compile_clauses
from retouch.recipes.policy.english.judging import judge, judge_clauses
from retouch.recipes.policy.english.ordinary.alone import NOT_FOUND
from retouch.recipes.policy.english.proposing import Proposal, proposals
from retouch.recipes.policy.english.suggesting.suggestions import nearest_sentences
from retouch.recipes.policy.english.tools.toolbox import Toolbox
from retouch.recipes.policy.language.policy import Policy
from retouch.recipes.policy.language.semantics import LATEST
from retouch.recipes.policy.language.stored import stored_list_def, stored_rule
from retouch.recipes.policy.scenarios.files import call_in
from retouch.text import fenced_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.engine.types import Prompt
    from retouch.recipes.policy.english.compiling import Compiled
    from retouch.recipes.policy.english.reading import Unread

_FIRST = ("server", "tools", "lists", "handwritten")


@dataclass(frozen=True, kw_only=True)
class _Page:
    """The content of a prompt. `data` maps the tag of a block to its JSON."""

    constitution: str
    data: Mapping[str, Any]
    frame: Policy
    server: str
    elsewhere: tuple[str, ...]

    @property
    def reading(self) -> Reading:
        """The sentences together with the tools of the page."""
        lists = cast("Mapping[str, Any]", self.data.get("lists", {}))
        cut = frozenset(name for name, one in lists.items() if one["count"] > len(one["members"]))
        unread: Unread = "all" if self._is_unread else "code" if self._is_of_others else "none"
        return Reading(self.compiled.sentences, self.frame, cut=cut, roles=self.roles, unread=unread)

    @property
    def _is_unread(self) -> bool:
        """True if a sentence that is refused here may be read where more of the tools are shown."""
        refused = [one for one in self.compiled.refused if not is_background(one, self.toolbox)]
        task = self.data["task"]
        quotes = [bare(one.get("principle") or "") for one in self.data.get("rules", ())]
        some = max(task.get("pages", 1), task.get("page", 1)) > 1
        return any(some or any(bare(one.text) in quote for quote in quotes) for one in refused)

    @property
    def _is_of_others(self) -> bool:
        """True if a sentence is about tools that a later turn does not show, and which only code can replace here."""
        turn = self.data["task"]["task"] == "turn"
        return turn and any(why.startswith(NOT_FOUND) for why in self.compiled.refused.values())

    @cached_property
    def compiled(self) -> Compiled:
        """The rules of the clauses that can be enforced, and the refused clauses."""
        strict = compile_clauses(self.constitution, self.frame, elsewhere=self.elsewhere)
        if not strict.refused or self.data["task"]["task"] not in {"scenarios", "turn"}:
            return strict
        # The prompts of these tasks may show only some of the tools.
        lenient = compile_clauses(self.constitution, self.frame, elsewhere=self.elsewhere, lenient=True)
        return min(lenient, strict, key=lambda one: len(one.refused))

    @cached_property
    def toolbox(self) -> Toolbox:
        """The tools of the page as words."""
        return Toolbox(self.frame, elsewhere=self.elsewhere)

    @property
    def roles(self) -> Mapping[str, Sequence[str]]:
        """All roles of the server. The page may show only some of its tools."""
        return {self.server: self.data["server"].get("roles", ())}

    @property
    def proposals(self) -> tuple[tuple[Proposal, ...], tuple[Proposal, ...]]:
        """Scenarios for the tools of the page, and a reserve of further ones."""
        reading = self.reading
        return proposals(reading, draft_rules(reading.sentences, self.frame, roles=self.roles))


def answer(prompt: Prompt) -> str:
    """Return the answer to a prompt of the policy recipe.

    Raises:
        BadInput: the prompt has no constitution or no task.
    """
    page = _page_of(prompt)
    return json.dumps(_ANSWERS[page.data["task"]["task"]](page), ensure_ascii=False, indent=1)


def _page_of(prompt: Prompt) -> _Page:
    texts = {block.language: block.text for block in fenced_blocks(prompt.system)}
    data: dict[str, Any] = {}
    for block in fenced_blocks(prompt.user):
        if block.language not in _FIRST or block.language not in data:
            data[block.language] = json.loads(block.text)
    if "constitution" not in texts or "task" not in data:
        raise BadInput(
            f"the prompt of {prompt.unit!r} has no constitution or no task",
            hint="Prompts of the policy recipe have both. Generate the run again with `retouch generate policy`.",
        )
    about = data["server"]
    return _Page(
        constitution=texts["constitution"],
        data=data,
        frame=_frame(about, data["tools"], data.get("lists", {})),
        server=about["server"],
        elsewhere=tuple(name for name in about.get("allServers", ()) if name != about["server"]),
    )


def _frame(about: Mapping[str, Any], tools: Sequence[Mapping[str, Any]], lists: Mapping[str, Any]) -> Policy:
    """Return the policy of a page, without rules."""
    name = about["server"]
    annotated = [
        {"toolName": one["tool"], "comment": one["comment"], "args": one["args"], "inputSchema": one.get("schema")}
        for one in tools
    ]
    declared = {key: about[key] for key in ("sandboxed", "piecewise", "introspection", "domainAllowlist")}
    value: dict[str, JSON] = {
        "semantics": LATEST,
        "home": about["home"],
        "timeZone": about.get("timeZone"),
        "workingDirectory": about["workingDirectory"],
        "allowedDirectory": about["sandbox"],
        "protectedPaths": about["protected"],
        "servers": {name: {key: one for key, one in declared.items() if one is not None}},
        "rules": [],
        "dynamicLists": {key: {"values": one["members"]} for key, one in lists.items()},
        "annotations": {"servers": {name: {"tools": cast("JSON", annotated)}}, "roles": about.get("ownRoles", {})},
    }
    return Policy.of_json(value, name="the prompt's data")


def _compile(page: _Page) -> JSON:
    made = page.compiled
    refused: list[JSON] = [
        {"clause": clause.text, "why": why, "nearest": nearest_sentences(clause, page.toolbox)}
        for clause, why in made.refused.items()
        if not is_background(clause, page.toolbox)
    ]
    return {
        "unenforceable": refused,
        "prohibitions": [stored_rule(one) for one in made.rules if one.then == "deny"],
        "rules": [stored_rule(one) for one in made.rules if one.then != "deny"],
        "listDefinitions": [stored_list_def(one) for one in made.list_defs],
    }


def _patch(page: _Page) -> JSON:
    """Return the operations that turn the current rules into the compiled ones. Execution proves whether they are
    better.
    """
    if page.data["task"].get("form") == "whole":
        return _compile(page)
    rules = page.compiled.rules
    current, wanted = cast("list[str]", page.data["names"]), [rule.name for rule in rules]
    operations: list[JSON] = [{"op": "delete", "name": name} for name in current if name not in wanted]
    after: str | None = None
    for rule in rules:
        if rule.name in current:
            operations.append({"op": "update", "rule": stored_rule(rule)})
            operations.append({"op": "move", "name": rule.name, "after": after})
        else:
            operations.append({"op": "add", "rule": stored_rule(rule), "after": after})
        after = rule.name
    return {"operations": operations, "listDefinitions": []}


def _scenarios(page: _Page) -> JSON:
    covered = {json.dumps(one["request"], sort_keys=True) for one in page.data.get("handwritten", ())}
    first, _ = page.proposals
    wanted = (one for one in first if json.dumps(one.request.as_json(), sort_keys=True) not in covered)
    items: list[JSON] = [one.as_item() for one in wanted]
    return {"scenarios": items}


def _turn(page: _Page) -> JSON:
    """Return replacements from the reserve, different ones in each turn, and scenarios for uncovered calls."""
    reading = page.reading
    removed = cast("list[Mapping[str, str]]", page.data.get("removed", []))
    _, reserve = page.proposals
    start = (page.data["task"]["turn"] - 2) * len(removed)
    items: list[JSON] = [
        one.as_item(replaces=slot["id"])
        for slot, one in zip(removed, reserve[start : start + len(removed)], strict=False)
    ]
    for one in cast("list[Mapping[str, Any]]", page.data.get("uncovered", [])):
        request = call_in(one["example"])
        tool = None if request is None else page.frame.tools.get((request.server, request.tool))
        whole = None if request is None or tool is None else completed(tool, request)
        verdict = None if whole is None else reading.about(whole)
        if whole is not None and verdict is not None and verdict.decision is not None:
            items.append(Proposal(request=whole, verdict=verdict).as_item())
    return {"scenarios": items}


def _judge(page: _Page) -> JSON:
    silent = {bare(one.quote): why for one, why in page.compiled.silent.items()}
    standing = {bare(quote): names for quote, names in page.compiled.standing.items()}
    clauses: dict[str, JSON] = {"clauses": judge_clauses(page.data, silent, standing, page.toolbox)}
    return judge(page.reading, page.data) | clauses


_ANSWERS: Mapping[str, Callable[[_Page], JSON]] = {
    "compile": _compile,
    "scenarios": _scenarios,
    "turn": _turn,
    "judge": _judge,
    "patch": _patch,
}
