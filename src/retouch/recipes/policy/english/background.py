"""Recognises sentences that are background information and cannot be a rule."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.facts import is_fact

if TYPE_CHECKING:
    from retouch.recipes.policy.english.clauses import Clause
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_TELLS = re.compile(
    r"(?:hello|hi|welcome|thanks|thank you)\b.{0,40}"
    r"|(?:my name is|i am called|i am (?:a|an|the)|i live in|i work (?:as|at|for|in)|we work (?:as|at|for|in)"
    r"|(?:i|we) have (?:about )?(?:\w+ ){0,4}\w+|we are (?:a|an|the)|we follow|our (?:company|team|office) is in) ?.*"
    r"|(?:this|the) (?:agent|assistant|bot|document|page|text|policy) (?:helps|assists|describes|is about) .*"
    r"|(?:our|my) \w+ (?:runs?|lives?|works?) in .*"
    r"|(?:the|our|my) \w+ (?:holds|contains) .*"
    r"|\w+ expects? .*"
    r"|(?:this|the) (?:example|use[- ]case|setup|section) (?:also )?"
    r"(?:considers|simulates|describes|implements|models|uses|makes use of|shows|covers|includes|involves) .*"
    r"|there are (?:two|three|four|five|six|\d+) [\w ]+(?:, | )(?:named|called) .*"
    r"|(?:a|an) \w+ (?:represents|denotes|stands for) (?:a|an|the) .*"
    r"|we use the following [\w ]+ for our (?:tests|examples)"
    r"|next we (?:define|describe|list|show) .*"
    r"|makes use of the .*",
    re.IGNORECASE | re.DOTALL,
)
_MAY_RULE = re.compile(
    r"\b(?:never|not?|cannot|nobody|nothing|none|only|must|shall|should|may|can|could|will|would|need\w*|have to|"
    r"has to|"
    r"if|when\w*|while|unless|until|except|before|after|during|always|every|each|any|all|allow\w*|ask\w*|let|"
    r"approv\w*|confirm\w*|permi\w*|forb\w*|prohibit\w*|den(?:y|ied|ies)|ban\w*|limit\w*|off|out|private|secret\w*|"
    r"confidential|sensitive|read-only|protect\w*|want\w*|like|prefer\w*|please|delete|remove|write|send|push|share|"
    r"access|touch|change|you|your)\b|n['\u2019]t\b|[~/@`:;]|\d+ (?:%|per|a) ",
    re.IGNORECASE,
)


def may_rule(text: str) -> bool:
    """Return whether words could be a part of a rule: a negation, a condition, a number of times, a place."""
    return _MAY_RULE.search(text) is not None


# A condition, a time, a place or a verdict: "Weekends", "On call", "Above 50 euros", "Blocking", "Red lines".
_MAY_SCOPE = re.compile(
    r"\b(?:at|by|during|for|from|in|inside|into|on|outside|over|past|to|under|within|with|above|below|between|beyond|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekends?|weekdays?|holidays?|vacations?|nights?|days?|mornings?|"
    r"evenings?|hours?|today|now|later|future|planned|proposed|draft|obsolete|deprecated|old|big|large|small|new|"
    r"emergenc\w*|exception\w*|restrict\w*|block\w*|guard\w*|danger\w*|risk\w*|critical|taboo\w*|red|hard|strict\w*|"
    r"avoid\w*|refus\w*|stop|free\w*|safe|optional|allowed|cannot|do|dos|don['\u2019]?ts?|rail\w*|lines|max\w*|min\w*|"
    r"most|least|more|less|than)\b|\d",
    re.IGNORECASE,
)


def may_scope(heading: str) -> bool:
    """Return whether a heading could be a rule, or limit what stands below it, for example `## Weekends`."""
    return may_rule(re.sub(r"^#+\s+", "", heading)) or _MAY_SCOPE.search(heading) is not None


# The name of a type or function in backticks. A path or an address in backticks may be the object of a rule.
_IDENTIFIER = re.compile(r"`([A-Z]?[A-Za-z]+)`(?=s?\b|[\s,.!]|$)")


def is_background(clause: Clause, toolbox: Toolbox | None = None) -> bool:
    """Return whether a clause is certainly background: it starts like a statement and has no word that could make a
    rule. With `toolbox`, also other statements of fact that are about nothing that these tools do.
    """
    if clause.heading:
        return False
    if toolbox is not None and is_fact(clause.text, toolbox):
        return True
    text = _IDENTIFIER.sub(r"\1", clause.text)
    return _TELLS.fullmatch(text.rstrip(".!")) is not None and not may_rule(text)
