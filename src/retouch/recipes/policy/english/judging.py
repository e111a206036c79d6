"""An offline judge: decides by the sentences which side is wrong if rules and scenarios disagree."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from retouch.recipes.policy.analysing.completing import completed
from retouch.recipes.policy.analysing.idle_rules import decided_regions
from retouch.recipes.policy.english.background import is_background
from retouch.recipes.policy.english.clauses import Clause, bare
from retouch.recipes.policy.english.proposing import Proposal, reasoning_of
from retouch.recipes.policy.language.conversion import rule_of
from retouch.recipes.policy.language.forms import RuleForm
from retouch.recipes.policy.language.values import STRICTNESS
from retouch.recipes.policy.scenarios.files import call_in
from retouch.recipes.policy.scenarios.scenario import meets

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.english.reading import Reading, SentenceVerdict
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.language.values import ToolCall

MOST_PROBES = 5


def judge_clauses(
    data: Mapping[str, Any], silent: Mapping[str, str], standing: Mapping[str, Sequence[str]], toolbox: Toolbox
) -> list[JSON]:
    """Return a judgement of each clause that no rule quotes.

    `silent` maps sentences of this server without a rule to the reason, `standing` to the rules that do what they say.
    """
    found: list[JSON] = []
    for text in cast("list[str]", data.get("clauses", [])):
        why = silent.get(bare(text))
        if why is None:
            words = {"status": "not_a_rule", "why": "it tells about somebody or something, and rules nothing"}
            if not is_background(Clause(text=text, line=0), toolbox):
                words = {"status": "not_enforced", "why": "it is not understood"}
        elif "none of these" in why:
            words = {"status": "no_tool", "why": "no tool here does this"}
        else:
            words = {"status": "covered", "why": f"it {why}"}
        found.append({"clause": text, "rules": list(standing.get(bare(text), ())), **words})
    return found


def judge(reading: Reading, data: Mapping[str, Any]) -> dict[str, JSON]:
    """Return the verdict on `failures`, `uncovered` and `rules` of a judge's prompt.

    Failures that the sentences do not cover are omitted and stay undecided. Probes are calls that the rules decide
    differently from the sentences. Executing them proves the difference, so they are not withheld.
    """
    verdicts: list[JSON] = []
    for failure in cast("list[Mapping[str, Any]]", data.get("failures", [])):
        found = _blame(reading, failure)
        verdicts += [found] if found is not None else []
    derived: list[JSON] = []
    for one in cast("list[Mapping[str, Any]]", data.get("uncovered", [])):
        request = call_in(one["request"])
        verdict = None if request is None else reading.about(request)
        if request is not None and verdict is not None and verdict.decision is not None:
            fields: dict[str, JSON] = {"request": one["request"], "expected": verdict.decision}
            derived.append(fields | _reason_and_quote(reading, request, verdict))
    return {"verdicts": verdicts, "derived": derived, "probes": _probes(reading, data), "pass": True, "open": []}


def _blame(reading: Reading, failure: Mapping[str, Any]) -> JSON:
    request = call_in(failure["request"])
    verdict = None if request is None else reading.about(request)
    if request is None or verdict is None or verdict.decision is None:
        return None
    right = verdict.decision
    found: dict[str, JSON] = {"id": failure["id"], "blame": "rule", "corrected": None}
    if not meets(failure["expected"], right):
        found |= {"blame": "scenario" if right == failure["decided"] else "both", "corrected": right}
    return found | _reason_and_quote(reading, request, verdict)


def _reason_and_quote(reading: Reading, request: ToolCall, verdict: SentenceVerdict) -> dict[str, JSON]:
    """Return the reason and the clause: the deciding sentence, or if there is none, one about the tool."""
    fields = verdict.by or reading.sentences_about(request)
    return {"reasoning": reasoning_of(verdict), "quote": fields[0].quote if fields else ""}


def _probes(reading: Reading, data: Mapping[str, Any]) -> JSON:
    """Return calls that rules and sentences decide differently. Calls that are allowed too easily come first."""
    rules = tuple(rule_of(RuleForm.model_validate(one)) for one in data.get("rules", ()))
    found: list[tuple[int, Proposal]] = []
    for call, was in decided_regions(replace(reading.frame, rules=rules)):
        request = completed(reading.frame.tools[call.server, call.tool], call)
        verdict = None if request is None else reading.about(request)
        if request is not None and verdict is not None and verdict.decision not in {None, was.decision}:
            gap = STRICTNESS[was.decision] - STRICTNESS[verdict.decision or "deny"]
            found.append((gap, Proposal(request=request, verdict=verdict)))
    found.sort(key=lambda one: one[0])
    return [one.as_item() for _, one in found[:MOST_PROBES]]
