"""Tells what stands for a sentence of which no rule is left: the rules of other sentences that do what it says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.analysing.idle_rules import decided_regions
from retouch.recipes.policy.deciding.evaluation import LEXICAL, evaluate
from retouch.recipes.policy.language.values import STRICTNESS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from retouch.recipes.policy.english.words.sentences import Sentence
    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.language.values import Rule, ToolCall

APPLIES_TO_NONE = "applies to none of these tools"


@dataclass(frozen=True, kw_only=True)
class DecidedBy:
    """What decides a call of a rule that was removed: rules with the same decision, or stricter ones."""

    rules: tuple[str, ...] = ()
    stricter: tuple[str, ...] = ()


def standing_rules(without: Mapping[Sentence, Sequence[DecidedBy]]) -> dict[str, tuple[str, ...]]:
    """Return by quote the rules of other sentences that do all that sentences without a rule say.

    For example "You may archive messages" is done by the rule of "You may read, label and archive messages". A
    sentence is left out if a stricter one decides all of its calls, because the two contradict each other.
    """
    found: dict[str, tuple[str, ...]] = {}
    for quote in dict.fromkeys(one.quote for one in without):
        same = [instead for one, instead in without.items() if one.quote == quote]
        kept = all(instead.rules or instead.stricter for some in same for instead in some)
        names = [[name for instead in some for name in instead.rules] for some in same]
        if kept and all(names):
            found[quote] = tuple(dict.fromkeys(name for some in names for name in some))
    return found


def decided_instead(
    own: Mapping[Sentence, Sequence[Rule]], full: Policy, pruned: Policy
) -> dict[Sentence, tuple[DecidedBy, ...]]:
    """Return for sentences with their rules, which are not in `pruned`, what decides their calls."""
    calls = [call for call, _ in decided_regions(full)] if own else []
    return {one: tuple(_instead(rules, calls, full, pruned)) for one, rules in own.items()}


def _instead(own: Sequence[Rule], calls: Sequence[ToolCall], full: Policy, pruned: Policy) -> Iterator[DecidedBy]:
    """Yield what decides each of the calls that rules match which are not in `pruned`."""
    alone = replace(full, rules=tuple(own))
    gone, kept = {rule.name for rule in own}, {rule.name: rule.then for rule in pruned.rules}
    for call in calls:
        wanted = evaluate(alone, call, surroundings=LEXICAL)
        if gone.isdisjoint(wanted.discharging):
            continue
        was = evaluate(pruned, call, surroundings=LEXICAL)
        names = tuple(name for name in was.discharging if kept.get(name) == was.decision)
        if was.decision == wanted.decision:
            yield DecidedBy(rules=names)
        else:
            yield DecidedBy(stricter=names if STRICTNESS[was.decision] > STRICTNESS[wanted.decision] else ())


def reason_for_no_rule(
    pairs: Sequence[tuple[Rule, Sentence]], own: Sequence[Rule], instead: Iterable[DecidedBy]
) -> str:
    """Return why a sentence has no rule. `own` are those that it would have alone."""
    if not own:
        return APPLIES_TO_NONE
    names = {name for one in instead for name in (*one.rules, *one.stricter)}
    quotes = dict.fromkeys(repr(by.quote) for rule, by in pairs if rule.name in names)
    return f"changes no decision, because {' and '.join(quotes) or 'what is built in'} decides its calls already"
