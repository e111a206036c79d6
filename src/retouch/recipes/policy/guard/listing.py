"""Filters the list of a server's tools: tools that can never be allowed are removed or marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, cast

from retouch.recipes.policy.analysing.idle_rules import decided_regions

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.language.policy import Policy

Listing: TypeAlias = Literal["filter", "annotate", "as-is"]
Reach: TypeAlias = Literal["allow", "escalate", "deny"]


def reach_of_tools(policy: Policy, server: str) -> dict[str, Reach]:
    """Return for each tool of a server in the policy the most permissive decision that any call can get."""
    trusted = server in policy.servers and policy.servers[server].trusted
    found: dict[str, Reach] = {name: "allow" if trusted else "deny" for owner, name in policy.tools if owner == server}
    order = {"deny": 0, "escalate": 1, "allow": 2}
    for call, was in decided_regions(policy):
        if call.server == server and order[was.decision] > order[found.get(call.tool, "deny")]:
            found[call.tool] = was.decision
    return found


def listed(result: JSON, reach: dict[str, Reach], listing: Listing) -> JSON:
    """Return the result of `tools/list` with tools that can never be called removed, or marked in their description.

    A tool that the policy does not know can never be called. One with a duplicate name has two meanings, and counts
    as denied.
    """
    tools = result.get("tools") if isinstance(result, dict) else None
    if listing == "as-is" or not isinstance(result, dict) or not isinstance(tools, list):
        return result
    shown: list[JSON] = []
    names = [tool.get("name") if isinstance(tool, dict) else None for tool in tools]
    for name, tool in zip(names, tools, strict=True):
        most = reach.get(name, "deny") if isinstance(name, str) and names.count(name) == 1 else "deny"
        if listing == "filter" and most == "deny":
            continue
        shown.append(_marked(cast("dict[str, JSON]", tool), most) if isinstance(tool, dict) else tool)
    return {**result, "tools": shown}


def _marked(tool: dict[str, JSON], most: Reach) -> JSON:
    marks = {
        "allow": "",
        "escalate": "[The user is asked before each call.] ",
        "deny": "[The policy denies this tool.] ",
    }
    text = tool.get("description")
    return {**tool, "description": f"{marks[most]}{text if isinstance(text, str) else ''}"} if marks[most] else tool
