"""Proves a sentence about a policy over all calls, or finds the smallest call that contradicts it. No model."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retouch.errors import BadInput
from retouch.recipes.policy.analysing.completing import accepted_call
from retouch.recipes.policy.analysing.difference import calls_of_both
from retouch.recipes.policy.analysing.regions import MAX_CALLS_PER_TOOL, by_size, tool_space
from retouch.recipes.policy.deciding.evaluation import LEXICAL, evaluate
from retouch.recipes.policy.deciding.prepared import prepared
from retouch.recipes.policy.language.semantics import LATEST

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.deciding.decision import Decision
    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.language.values import Outcome, ToolCall

_NEVER = re.compile(r"(?:never|do not) (?:allow|permit)s? (?P<rest>.+)", re.IGNORECASE)
_ALWAYS = re.compile(r"always (?:allow|permit)s? (?P<rest>.+)", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Asserted:
    """The result: the smallest call that contradicts the assertion with its decision, or None if it holds.

    `calls` is the number of kinds of calls that were decided. `wanted` is the decision that the assertion demands of
    the calls that it is about. A counterexample is a call that the schema of its tool accepts. `cut` are tools for
    which nothing is proved: they have too many kinds of calls, or a kind contradicts the assertion and no call of it
    could be built.
    """

    assertion: str
    wanted: Outcome
    calls: int
    counterexample: ToolCall | None = None
    decision: Decision | None = None
    cut: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """True if no kind of call contradicts the assertion, and all kinds were decided."""
        return self.counterexample is None and not self.cut

    def as_json(self) -> dict[str, JSON]:
        """Return the result as JSON."""
        return {
            "assertion": self.assertion,
            "holds": self.holds,
            "calls": self.calls,
            "counterexample": None if self.counterexample is None else self.counterexample.as_json(),
            "decision": None if self.decision is None else self.decision.as_json(),
            "notProved": [*self.cut],
        }


def assert_policy(policy: Policy, assertion: str) -> Asserted:
    """Return whether a policy does what a sentence demands, for every call.

    `assertion` is `never allow ...ing`, `always allow ...ing`, or any sentence that permits, forbids or asks. A
    prohibition demands `deny` or a question, a sentence that asks demands at least a question, a permission demands
    `allow`. One call of every kind is decided, as in `analyse`: exact for one value per argument. Symbolic links are
    not followed.

    Raises:
        BadInput: the sentence is not understood, or no tool does what it says.
    """
    from retouch.recipes.policy.english.compiling import compile_english

    text = _as_sentence(assertion)
    bare = replace(
        policy,
        rules=(),
        semantics=LATEST,
        servers={},
        allowed_directory=None,
        protected_paths=(),
        failed=(),
        verified=False,
        doubts=(),
    )
    try:
        made = compile_english(text, bare)
    except BadInput as error:
        why = error.message.rpartition(": ")[2] if "not understood" in error.message else error.message.splitlines()[-1]
        hint = "For example, 'never allow writing outside ~/work', 'always allow reading files in ~/work'."
        raise BadInput(f"the assertion {assertion!r} is not understood: {why.strip()}", hint=hint) from error
    moods = {one.mood for one in made.sentences if not one.excepted}
    if not made.rules and "never" not in moods:
        raise BadInput(f"{assertion!r} is about no tool of the policy", hint="Name what the tools do.")
    if len(moods) != 1 and moods != {"never", "allow"}:
        raise BadInput(f"{assertion!r} demands several things", hint="Write one assertion for each.")
    wanted: Outcome = "deny" if "never" in moods else "escalate" if "ask" in moods else "allow"
    demand = replace(bare, rules=tuple(rule for rule in made.rules if rule.then == wanted))
    return _search(policy, demand, assertion, wanted)


def _as_sentence(assertion: str) -> str:
    text = assertion.strip().rstrip(".")
    found = _NEVER.fullmatch(text)
    if found:
        doing = found["rest"].split()[0].lower().endswith("ing")
        return f"Refrain from {found['rest']}." if doing else f"{found['rest']} are forbidden."
    found = _ALWAYS.fullmatch(text)
    return f"Allow {found['rest']}." if found else f"{text}."


def _search(policy: Policy, demand: Policy, assertion: str, wanted: Outcome) -> Asserted:
    names = {rule.name for rule in demand.rules}

    def contradiction(call: ToolCall) -> Decision | None:
        if evaluate(demand, call, surroundings=LEXICAL).rule not in names:
            return None
        was = evaluate(policy, call, surroundings=LEXICAL)
        return was if (was.decision == "allow") is not (wanted == "allow") else None

    calls, wrong, unshown = 0, list[tuple["ToolCall", "Decision"]](), dict[str, None]()
    for kind in calls_of_both(policy, demand, LEXICAL):
        calls += 1
        if contradiction(kind) is None:
            continue
        call = accepted_call(policy.tools[kind.server, kind.tool], kind)
        was = None if call is None else contradiction(call)
        if call is not None and was is not None:
            wrong.append((call, was))
        elif call is None:
            unshown[f"{kind.server}/{kind.tool}"] = None
    wrong.sort(key=lambda one: by_size(one[0]))
    both = [prepared(one, disk=False) for one in (policy, demand)]
    spaces = (tool_space(tool, both) for tool in policy.tools.values())
    cut = (f"{one.tool.server}/{one.tool.name}" for one in spaces if one.size > MAX_CALLS_PER_TOOL)
    first = wrong[0] if wrong else (None, None)
    return Asserted(
        assertion=assertion,
        wanted=wanted,
        calls=calls,
        counterexample=first[0],
        decision=first[1],
        cut=tuple(dict.fromkeys((*cut, *(() if wrong else unshown)))),
    )
