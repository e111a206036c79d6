"""Guesses the tools and tests that the recognised words of a sentence mean. A guess is only shown to the user."""

from __future__ import annotations

from dataclasses import replace
from math import log
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.checking.explaining import forms_of
from retouch.recipes.policy.english.limits.several_tests import beside, code_parts
from retouch.recipes.policy.english.suggesting.guessed_tests import guessed_tests, listed_words
from retouch.recipes.policy.english.suggesting.guessed_totals import more_than
from retouch.recipes.policy.english.words.lexicon import READ, VERBS, word_set
from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from retouch.recipes.policy.english.suggesting.guessed_tests import Tests
    from retouch.recipes.policy.english.suggesting.recognising import SeenPart
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_LEAST = (0.8, 0.999, 0.4)  # of the best score
_SURELY = 0.9
_OPPOSITES = (
    ("on", "off"), ("open", "close"), ("start", "stop"), ("add", "remove"), ("lock", "unlock"), ("enable", "disable"),
    ("mute", "unmute"), ("archive", "unarchive"), ("buy", "sell"), ("pause", "resume"), ("follow", "unfollow"),
    ("public", "private"), ("publish", "unpublish"), ("delete", "restore"), ("subscribe", "unsubscribe"),
)  # fmt: skip
_PUTTING = word_set("move put mark switch turn hand give leave make change")
_CHANGING = word_set("update edit set modify change patch transition assign move")


def guesses(parts: Sequence[SeenPart], toolbox: Toolbox) -> Iterator[Meaning]:
    """Yield what the parts of a sentence may mean together, the likelier meanings first.

    None if a part has several verdicts, or only a verdict ("but ask first"): what it is about is not known then.
    """
    if any(part.is_mixed or not part.has_content for part in parts):
        return
    scored = [(part, _scores(part, toolbox)) for part in parts]
    for least in _LEAST:
        whole = Meaning()
        for part, scores in scored:
            whole |= _meaning(part, _best(scores, least), toolbox)
        never = {(one.server, one.tool) for one in whole.never if not one.where and not one.unless}
        whole = replace(whole, allow=frozenset(one for one in whole.allow if (one.server, one.tool) not in never))
        if whole.parts:
            yield whole


def _meaning(part: SeenPart, tools: Iterable[KnownTool], toolbox: Toolbox) -> Meaning:
    tested = {one: guessed_tests(one, part, toolbox) for one in tools}
    most = max(map(len, tested.values()), default=0)
    known = {one: tests for one, tests in tested.items() if len(tests) == most}
    made = [meaning for one, tests in known.items() if (meaning := _meaning_of(one, part, tests, toolbox)) is not None]
    whole = Meaning()
    for one in made:
        whole |= one
    code = code_parts(toolbox.tools, (), toolbox.frame.time_zone)
    if part.stance == "forbid" and whole.never:
        whole |= Meaning(never=beside(code, whole.never))
    return whole | Meaning(ask=beside(code, whole.ask)) if whole.ask else whole


def _meaning_of(one: KnownTool, part: SeenPart, tests: Tests, toolbox: Toolbox) -> Meaning | None:
    """Return what a part of a sentence means for one tool. None if the tool has nothing that its rate counts."""
    bare = ToolPart(server=one.tool.server, tool=one.tool.name)
    own = [replace(bare, where=where, unless=tests.unless) for where in tests.alternatives]
    total = None if part.rate is None else more_than(one, part.rate, toolbox)
    if part.rate is not None and total is None:
        return None
    more = () if total is None else (total,)
    over = [replace(each, where=(*each.where, *more)) for each in own] if more else []
    if part.stance != "permit":
        found = frozenset(over or own)
        return Meaning(ask=found) if part.stance == "ask" else Meaning(never=found)
    excepted = [replace(each, where=(*each.where, *each.unless), unless=()) for each in own if each.unless]
    outside = [replace(bare, unless=own[0].where)] if part.only and len(own) == 1 and own[0].where else []
    allowed = frozenset(replace(each, unless=()) for each in own)
    return Meaning(allow=allowed, excepted=frozenset((*excepted, *over)), never=frozenset(outside))


# Tools


def _scores(part: SeenPart, toolbox: Toolbox) -> list[dict[KnownTool, float]]:
    """Return for each verb of a part the tools that do it, each with how well the other words fit.

    Without a verb, all tools.
    """
    verbs = verbs_in(part, toolbox)
    nouns = {word: _weight(word, toolbox) for word in part.words if word not in verbs}
    least = _SURELY if part.stance == "permit" else 0.6
    found: list[dict[KnownTool, float]] = []
    for verb in verbs or ("",):
        able = {one: share_of_verb(one, verb) if verb else 1.0 for one in toolbox.tools if not does_opposite(one, part)}
        surely = _SURELY if max(able.values(), default=0.0) >= _SURELY else least
        fitting = (one for one, share in able.items() if share >= max(least, surely))
        scores = {one: sum(weight * share_of(one, noun) for noun, weight in nouns.items()) for one in fitting}
        if verb or not part.words or max(scores.values(), default=0.0):
            found.append(scores)
    return found


def _best(scored: Iterable[dict[KnownTool, float]], least: float) -> list[KnownTool]:
    """Return the tools whose score is at least this share of the best one of their verb."""
    chosen = ((one, score >= least * max(scores.values())) for scores in scored for one, score in scores.items())
    return list(dict.fromkeys(one for one, fits in chosen if fits))


def _weight(word: str, toolbox: Toolbox) -> float:
    """Return how much a word says: more if fewer tools have it."""
    having = sum(share_of(one, word) >= 0.5 for one in toolbox.tools)
    return log(1 + len(toolbox.tools) / (1 + having))


def verbs_in(part: SeenPart, toolbox: Toolbox) -> list[str]:
    """Return the words of a part that say what is done: none that stands where a noun does, if there is another one."""
    found = [word for word in part.words if _is_verb(word, toolbox)]
    return [word for word in found if word not in part.nouns] or found


def does_opposite(one: KnownTool, part: SeenPart) -> bool:
    """Return whether a tool does the opposite of what a part says: `turn_off_light` for "turn on the light"."""
    own = set(one.words)
    return any(
        theirs in own and said not in own and said in part.said and theirs not in part.said
        for pair in _OPPOSITES
        for said, theirs in (pair, pair[::-1])
    )


def _is_verb(word: str, toolbox: Toolbox) -> bool:
    return any(form in VERBS or form in toolbox.verbs for form in forms_of(word)) and any(
        share_of_verb(one, word) >= 0.6 for one in toolbox.tools
    )


def share_of_verb(one: KnownTool, word: str) -> float:
    """Return how certainly a tool does what a word says, from 0 to 1."""
    forms, verbs = forms_of(word), one.verbs | one.done
    meant = [VERBS[form] for form in forms if form in VERBS]
    if not forms.isdisjoint(verbs) or any(not known.surely.isdisjoint(verbs) for known in meant):
        return 1.0
    if not forms.isdisjoint(listed_words(one)) and not one.reads:  # what only reads has them as filters
        return _SURELY
    if any(not known.perhaps.isdisjoint(verbs) for known in meant):
        return 0.0 if one.reads and not any(known.surely & READ for known in meant) else 0.6
    return 0.6 if not forms.isdisjoint(_PUTTING) and not verbs.isdisjoint(_CHANGING) else 0.0


def share_of(one: KnownTool, word: str) -> float:
    """Return how well a tool explains a word, from 0 to 1."""
    forms = forms_of(word)
    if not forms.isdisjoint(one.vocabulary | listed_words(one)):
        return 1.0
    if (verb := share_of_verb(one, word)) > 0:
        return verb
    return 0.7 if not forms.isdisjoint(one.told_words | one.argument_words) else 0.0
