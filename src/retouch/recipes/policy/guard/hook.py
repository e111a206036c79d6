"""A PreToolUse hook of Claude Code: one call on standard input, the decision on standard output."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from posixpath import join
from typing import TYPE_CHECKING

from retouch.errors import BadInput
from retouch.recipes.policy.deciding.evaluation import ON_DISK
from retouch.recipes.policy.deciding.omitted import WORKING_DIRECTORY, omitted_values
from retouch.recipes.policy.guard.core import CONSENTED, AssumedConsent, Guard, spellings
from retouch.recipes.policy.language.strict_json import parse_json

if TYPE_CHECKING:
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.guard.core import Ask
    from retouch.recipes.policy.language.policy import Policy

EVENT = "PreToolUse"
_SEARCHES = frozenset({"Glob", "Grep", "LS"})  # built-in tools whose `path` is the working directory if it is omitted
_FIXED = re.compile(r"[^*?\[\]{}()!@+\\]*/")  # the leading directories of a pattern
_LEAVING = re.compile(r"(?:^|[/{,(|])(?:\.\.|[/~])")


@dataclass(frozen=True, kw_only=True)
class _Event:
    """A call that Claude Code wants to make, and its working directory."""

    tool: str
    given: dict[str, JSON]
    directory: str | None


@dataclass(frozen=True, kw_only=True)
class HookOptions:
    """The options of a hook. `file` is that of the policy, and `counts` that of earlier calls."""

    server: str
    file: Path | None = None
    audit: Path | None = None
    counts: Path | None = None
    shadow: bool = False
    unverified: bool = False

    def guard(self, policy: Policy, ask: Ask) -> Guard:
        """Return a guard with these options."""
        return Guard(
            policy,
            audit=self.audit,
            ask=ask,
            shadow=self.shadow,
            allow_unverified=self.unverified,
            counts=self.counts,
            surroundings=ON_DISK if self.file is None else replace(ON_DISK, kept=spellings((self.file,))),
        )


def hook_answer(text: str, policy: Policy, options: HookOptions) -> JSON:
    """Return the hook's answer to an event. None for events that it ignores.

    Tools of MCP servers (`mcp__github__list_issues`) belong to that server, built-in tools to `options.server`. If the
    policy escalates a call, Claude Code prompts its user. The answer is not known here, so such a call is counted as
    made. For tests of what was called before, it is uncertain.

    Raises:
        BadInput: the event is malformed, or the policy may not be enforced. The call must be blocked then.
    """
    event = _event(text)
    if event is None:
        return None
    owner, tool = split_name(event.tool, options.server)
    later = AssumedConsent()
    if policy.working_directory is None:
        # The start of relative paths is only known now. Nothing else of the verified policy changes.
        policy = replace(policy, working_directory=event.directory)
    guard = options.guard(policy, later)
    if options.shadow:
        guard.decide(owner, tool, event.given)
        return None
    ruling = guard.decide(owner, tool, _completed(event, policy, owner, tool))
    verdict = "ask" if ruling.answer == CONSENTED and later.asked else "allow" if ruling.allowed else "deny"
    found: dict[str, JSON] = {
        "hookEventName": EVENT,
        "permissionDecision": verdict,
        "permissionDecisionReason": f"{ruling.rule}: {ruling.reason}" if verdict != "deny" else ruling.words,
    }
    if verdict != "deny" and ruling.arguments is not None and dict(ruling.arguments) != event.given:
        found["updatedInput"] = dict(ruling.arguments)
    return {"hookSpecificOutput": found}


def _event(text: str) -> _Event | None:
    event = parse_json(text, name="the event")
    if not isinstance(event, dict) or not isinstance(event.get("hook_event_name"), str):
        raise BadInput("the event has no hook_event_name", hint="Register the command as a PreToolUse hook.")
    if event["hook_event_name"] != EVENT:
        return None
    name, given, cwd = event.get("tool_name"), event.get("tool_input"), event.get("cwd")
    if not isinstance(name, str) or not isinstance(given, dict):
        raise BadInput("the event has no tool_name or no tool_input", hint="Register it as a PreToolUse hook.")
    return _Event(tool=name, given=given, directory=cwd if isinstance(cwd, str) and cwd.startswith("/") else None)


def _completed(event: _Event, policy: Policy, owner: str, name: str) -> dict[str, JSON]:
    """Return the arguments of a call with the directory that Claude Code uses for each path that it omits.

    The leading directories of the pattern of `Glob` become a part of its path, where the policy sees them.

    Raises:
        BadInput: the pattern may leave its path at another place.
    """
    tool, given = policy.tools.get((owner, name)), dict(event.given)
    if tool is None:
        return given
    values = omitted_values(tool)
    if event.tool in _SEARCHES and "path" in tool.args:
        values["path"] = WORKING_DIRECTORY
    start = event.directory or WORKING_DIRECTORY
    for arg in (one for one, value in values.items() if value == WORKING_DIRECTORY and given.get(one) is None):
        given[arg] = start
    pattern, path = given.get("pattern"), given.get("path")
    if event.tool != "Glob" or not isinstance(pattern, str) or not isinstance(path, str):
        return given
    fixed = _FIXED.match(pattern)
    rest = pattern if fixed is None else pattern[fixed.end() :]
    if pattern.startswith("~") or _LEAVING.search(rest) is not None:
        hint = "Search in the directory itself: put it into 'path'."
        raise BadInput(f"the pattern {pattern!r} may name files outside of its path", hint=hint)
    return given if fixed is None else {**given, "path": join(path, fixed[0]), "pattern": rest}


def split_name(name: str, server: str) -> tuple[str, str]:
    """Return the server and tool of a tool name in Claude Code. `server` is the server of built-in tools."""
    parts = name.split("__", 2)
    return (parts[1], parts[2]) if len(parts) == 3 and parts[0] == "mcp" and all(parts) else (server, name)
