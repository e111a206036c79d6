"""Compares what a model proposes with what is proposed without it, and applies what the user accepts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, cast

from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.annotating.asking import ProposedMember, ProposedRoles

ALL = "all"


@dataclass(frozen=True, kw_only=True)
class RoleProposal:
    """Roles that a model proposes for an argument that has other ones now. `evidence` is a quote from its tool."""

    tool: str
    arg: str
    now: tuple[str, ...]
    proposed: tuple[str, ...]
    evidence: str
    reason: str
    accepted: bool = False

    @property
    def name(self) -> str:
        """The argument as the user names it: `TOOL.ARG`."""
        return f"{self.tool}.{self.arg}"

    @property
    def kind(self) -> Literal["adds", "removes"]:
        """Whether it only adds roles, so that a policy denies no less, or removes one."""
        gone = set(self.now) - set(self.proposed) - {"none"}
        return "removes" if gone else "adds"

    def as_json(self) -> dict[str, JSON]:
        """Return the proposal as annotations keep it."""
        roles = {"now": cast("JSON", list(self.now)), "proposed": cast("JSON", list(self.proposed))}
        texts: dict[str, JSON] = {"evidence": self.evidence, "reason": self.reason}
        return {"tool": self.tool, "arg": self.arg, **roles, "kind": self.kind, **texts, "accepted": self.accepted}


def role_proposals(
    annotations: Mapping[str, Any], server: str, proposed: Sequence[ProposedRoles], accept: Collection[str]
) -> list[RoleProposal]:
    """Return the proposals that differ from annotations, with those that the user accepts marked.

    `accept` has names of arguments, `TOOL.ARG`, or `all` for every proposal that only adds roles. One that removes a
    role must be named.

    Raises:
        BadInput: a name is not one of a proposal.
    """
    now = {
        (one["toolName"], arg): tuple(roles)
        for one in annotations["servers"][server]["tools"]
        for arg, roles in one["args"].items()
    }
    found: list[RoleProposal] = []
    for one in proposed:
        known, roles = now[one.tool, one.arg], tuple(dict.fromkeys(one.roles))
        if set(known) != set(roles):
            change = RoleProposal(
                tool=one.tool, arg=one.arg, now=known, proposed=roles, evidence=one.evidence, reason=one.reason
            )
            accepted = change.name in accept or (ALL in accept and change.kind == "adds")
            found.append(replace(change, accepted=accepted))
    names = [one.name for one in found]
    strange = [name for name in accept if name not in names and name != ALL]
    if strange:
        hint = f"Proposals: {', '.join(names) or 'none'}."
        raise BadInput(f"the model proposes nothing else for {strange[0]!r}", hint=hint)
    return found


def with_roles(
    annotations: Mapping[str, Any], server: str, changes: Sequence[RoleProposal], model: str
) -> dict[str, JSON]:
    """Return annotations with the accepted roles. The other proposals are notes: `x-proposals`."""
    tools: list[JSON] = []
    for one in annotations["servers"][server]["tools"]:
        mine = [change for change in changes if change.tool == one["toolName"]]
        done = {change.arg: change for change in mine if change.accepted}
        args = {arg: list(done[arg].proposed) if arg in done else roles for arg, roles in one["args"].items()}
        why = {
            arg: f"{model}, accepted by you: {done[arg].reason} ({done[arg].evidence!r})" if arg in done else text
            for arg, text in one["x-why"].items()
        }
        open_ones = [change.arg for change in mine if not change.accepted]
        look = [arg for arg in one["args"] if arg not in done and (arg in one["x-look-at"] or arg in open_ones)]
        tools.append(cast("JSON", {**one, "args": args, "x-why": why, "x-look-at": look}))
    notes = cast("JSON", [one.as_json() for one in changes])
    return {**annotations, "servers": {server: {"tools": tools}}, "x-proposals": notes}


def proposed_list(members: Sequence[ProposedMember], model: str) -> dict[str, JSON]:
    """Return a list as a file of lists keeps it until the user accepts it: no policy can use it before."""
    return {
        "values": [one.value for one in members],
        "proposed": True,
        "x-proposed-by": model,
        "x-why": {one.value: one.why for one in members},
    }


def settled_lists(lists: Mapping[str, Any], accept: Collection[str], reject: Collection[str]) -> dict[str, JSON]:
    """Return lists with the proposals in `accept` accepted, and those in `reject` removed. `all` is every proposal.

    Raises:
        BadInput: a name is not one of a proposed list, or is in both.
    """
    waiting = [name for name, one in lists.items() if one.get("proposed") is True]
    named = [*accept, *reject]
    strange = [name for name in named if name not in waiting and name != ALL]
    if strange or not waiting:
        what = f"no list {strange[0]!r} waits" if strange else "no list waits"
        raise BadInput(f"{what} to be accepted", hint=f"Proposed lists: {', '.join(waiting) or 'none'}.")
    chosen = waiting if ALL in accept else [name for name in waiting if name in accept]
    refused = waiting if ALL in reject else [name for name in waiting if name in reject]
    both = [name for name in chosen if name in refused]
    if both:
        raise BadInput(f"the list {both[0]!r} is both accepted and rejected", hint="Name each list once.")
    return {
        name: {key: value for key, value in one.items() if name not in chosen or key != "proposed"}
        for name, one in lists.items()
        if name not in refused
    }
