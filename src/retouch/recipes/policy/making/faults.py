"""The typical mistakes of models in this recipe, for the `faulty` model. Each fault changes one kind of answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from copy import deepcopy
from random import Random
from typing import Any, TypeAlias, cast

Fault: TypeAlias = Callable[[str, Random], str]
_OTHER = {"allow": "deny", "escalate": "allow", "deny": "escalate"}


def _changing(key: str, change: Callable[[list[dict[str, Any]], Random], None]) -> Fault:
    """Return a fault that changes the list under `key` of an answer, if it is not empty."""

    def fault(text: str, chance: Random) -> str:
        try:
            answer = cast("object", json.loads(text))
        except ValueError:
            return text
        found = cast("dict[str, Any]", answer).get(key) if isinstance(answer, dict) else None
        if not isinstance(found, list) or not found:
            return text
        change(cast("list[dict[str, Any]]", found), chance)
        return json.dumps(answer, ensure_ascii=False)

    return fault


def _expect_otherwise(scenarios: list[dict[str, Any]], chance: Random) -> None:
    one = chance.choice(scenarios)
    one["expectedDecision"] = _OTHER.get(one.get("expectedDecision", ""), "deny")


def _invent_an_argument(scenarios: list[dict[str, Any]], chance: Random) -> None:
    chance.choice(scenarios)["request"]["arguments"]["verbose"] = True


def _leave_arguments_out(scenarios: list[dict[str, Any]], chance: Random) -> None:
    chance.choice(scenarios)["request"]["arguments"] = {}


def _invent_a_tool(scenarios: list[dict[str, Any]], chance: Random) -> None:
    chance.choice(scenarios)["request"]["toolName"] += "_all"


def _say_twice(scenarios: list[dict[str, Any]], chance: Random) -> None:
    scenarios.append(deepcopy(chance.choice(scenarios)))


def _contradict(scenarios: list[dict[str, Any]], chance: Random) -> None:
    _say_twice(scenarios, chance)
    _expect_otherwise(scenarios[-1:], chance)


def _misquote(rules: list[dict[str, Any]], chance: Random) -> None:
    one = chance.choice(rules)
    one["principle"] = f"In short: {one.get('principle', '')}"


def _add_a_dead_rule(rules: list[dict[str, Any]], chance: Random) -> None:
    copied = deepcopy(chance.choice(rules))
    rules.append({**copied, "name": f"{copied.get('name', '')}-again"})


def _decide_otherwise(rules: list[dict[str, Any]], chance: Random) -> None:
    one = chance.choice(rules)
    one["then"] = "escalate" if one.get("then") == "allow" else "allow"


def _blame_without_quote(verdicts: list[dict[str, Any]], chance: Random) -> None:
    chance.choice(verdicts)["quote"] = ""


def _passes_anyway(text: str, _chance: Random) -> str:
    return '{"verdicts": [], "pass": true, "open": []}' if '"verdicts"' in text else text


def _prose_about_passing(text: str, _chance: Random) -> str:
    return "The rules do not pass; with a small change they would pass." if '"verdicts"' in text else text


def _brackets_around(text: str, _chance: Random) -> str:
    return f"As the text says [see above], here it is:\n{text}\nThat is all {{as asked}}." if text[:1] == "{" else text


FAULTS: Mapping[str, Fault] = {
    "wrong_expectation": _changing("scenarios", _expect_otherwise),
    "invented_argument": _changing("scenarios", _invent_an_argument),
    "missing_arguments": _changing("scenarios", _leave_arguments_out),
    "invented_tool": _changing("scenarios", _invent_a_tool),
    "same_call_twice": _changing("scenarios", _say_twice),
    "contradicting_calls": _changing("scenarios", _contradict),
    "misquoted_clause": _changing("rules", _misquote),
    "dead_rule": _changing("rules", _add_a_dead_rule),
    "wrong_decision": _changing("rules", _decide_otherwise),
    "blame_without_quote": _changing("verdicts", _blame_without_quote),
    "passes_anyway": _passes_anyway,
    "prose_about_passing": _prose_about_passing,
    "brackets_in_prose": _brackets_around,
}
