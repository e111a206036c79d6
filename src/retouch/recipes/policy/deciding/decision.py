"""The decision about a call, and its explanation for the user."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.language.values import Outcome

TRUSTED = "trusted-server"
UNVERIFIED = "structural-unverified-server"
INVALID = "structural-invalid-request"
PROTECTED = "structural-protected-path"
INTROSPECTION = "structural-introspection-allow"
SANDBOX = "structural-sandbox-allow"
GATE = "structural-domain-escalate"
UNKNOWN_TOOL = "structural-unknown-tool"
UNKNOWN_ARGUMENT = "structural-unknown-argument"
UNREADABLE = "structural-unreadable-argument"
OWN_FILE = "structural-guard-file"
DEFAULT = "default-deny"
_DENYING = (UNVERIFIED, INVALID, PROTECTED, UNKNOWN_TOOL, UNKNOWN_ARGUMENT, UNREADABLE, OWN_FILE)
STRUCTURAL = frozenset((TRUSTED, INTROSPECTION, SANDBOX, GATE, *_DENYING))


@dataclass(frozen=True, kw_only=True)
class Passed:
    """A rule that did not answer, and the condition that did not hold. `elsewhere`: for another server or tool."""

    rule: str
    why: str
    elsewhere: bool = False


@dataclass(frozen=True, kw_only=True)
class Step:
    """One decision about some values of one role. `role` is None for the whole call."""

    role: str | None
    values: tuple[str, ...]
    decision: Outcome
    rule: str
    why: str
    passed: tuple[Passed, ...] = ()

    @property
    def text(self) -> str:
        """The step as one line, followed by one line per rule for this tool that did not answer."""
        what = self.role or "the call"
        shown = f" {', '.join(map(repr, self.values))}" if self.values else ""
        lines = [f"{what}{shown}: {self.decision} by {self.rule} ({self.why})"]
        lines += [f"    not {one.rule}: {one.why}" for one in self.passed if not one.elsewhere]
        return "\n".join(lines)


@dataclass(frozen=True, kw_only=True)
class Trace:
    """The steps of a decision in order."""

    steps: tuple[Step, ...]

    @property
    def text(self) -> str:
        """The steps as lines."""
        return "\n".join(step.text for step in self.steps)

    def as_json(self) -> list[JSON]:
        """Return the steps as JSON."""
        return [
            {
                "role": step.role,
                "values": cast("JSON", list(step.values)),
                "decision": step.decision,
                "rule": step.rule,
                "why": step.why,
                "notAnswering": [{"rule": one.rule, "why": one.why} for one in step.passed],
            }
            for step in self.steps
        ]


@dataclass(frozen=True, kw_only=True)
class Decision:
    """The decision about a call. `rule` is the deciding rule of the policy, or the name of a built-in decision.

    `escalated_roles` are all roles that need the user's decision. `discharging` names every rule of the policy that
    decided some value, including `rule`.
    """

    decision: Outcome
    rule: str
    reason: str
    escalated_roles: tuple[str, ...] = ()
    discharging: tuple[str, ...] = field(default=(), compare=False)
    tracer: Callable[[], Trace] = field(repr=False, compare=False)
    normalizer: Callable[[], dict[str, JSON]] | None = field(default=None, repr=False, compare=False)

    @property
    def is_structural(self) -> bool:
        """True if the decision was made before any rule, so that no rule can change it."""
        return self.rule in STRUCTURAL and self.rule not in self.discharging

    @cached_property
    def arguments(self) -> dict[str, JSON] | None:
        """The normalised arguments, to pass to the tool instead of those of the call. None if there are none.

        Paths are absolute and without symbolic links, URLs as a browser writes them, e-mail addresses without display
        name.
        """
        return None if self.normalizer is None else self.normalizer()

    @cached_property
    def trace(self) -> Trace:
        """The explanation: for each role and value the rule that answered, and why earlier rules did not."""
        return self.tracer()

    def as_json(self, *, trace: bool = False) -> dict[str, JSON]:
        """Return the decision as JSON. With `trace`, the normalised arguments and the trace are included."""
        found: dict[str, JSON] = {
            "decision": self.decision,
            "rule": self.rule,
            "reason": self.reason,
            "escalatedRoles": cast("JSON", list(self.escalated_roles)),
        }
        return {**found, "arguments": self.arguments, "trace": self.trace.as_json()} if trace else found
