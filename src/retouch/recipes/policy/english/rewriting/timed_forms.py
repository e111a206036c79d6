"""Replaces orders of words around times by plain ones: "send no mail after 10 pm", "on Sundays no file may be sent"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.rewriting.replacing import replaced, rewriting, rewritten, text_of
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.lexicon import bases_of, word_set

if TYPE_CHECKING:
    from collections.abc import Collection

    from retouch.recipes.policy.english.words.tokens import Token

_CLOCK = r"(?:(?!(?:it|you|i|we|a|an|the|no|any) )[\w:.]+(?: (?:am|pm|o'clock))?|noon|midnight)"
_DAY = r"(?:\w+days?|weekends?|weekdays?)"
_TIME = (
    rf"(?:(?:between|from) {_CLOCK} (?:and|to|until) {_CLOCK}|(?:after|before) \d[\w:.]*(?: (?:am|pm))?|"
    rf"(?:on|at|over) (?:the )?{_DAY}(?:(?: ,)? (?:and|or) (?:on )?{_DAY})?)"
)
_FRONTED = rewriting(
    rf"^(?P<t>{_TIME}) (?P<x>(?:no|nothing|nobody|never|do not|you must not|you may not|you should not) .+)$",
    "{t} , {x}",
)
_NO_OBJECT = re.compile(
    r"^(?:please )?(?P<v>[a-z-]+) (?P<no>no|nothing)(?P<x>(?! (?:more|less|fewer|other|others|one|later|earlier|sooner|"
    r"longer|matter|else|but|except|problem|reason|need)(?: |$))(?: .+)?)$"
)
# What is made, had or seen is something else: "make no mistakes", "see no problem with".
_OTHERS = word_set("make do have see need know mean take keep leave allow permit let ask use give get be is are say")
_DONE_LATER = re.compile(
    r"^no (?P<noun>deployments?|restarts?|reboots?|rollouts?) "
    r"(?P<r>(?:to|on|in|at|after|before|between|from|during) .+)$"
)


def with_plain_times(tokens: tuple[Token, ...], verbs: Collection[str]) -> tuple[Token, ...]:
    """Return the words of a sentence with its time or its negation in a plain place. `verbs` are those of the tools."""
    tokens = rewritten(tokens, _FRONTED)
    return _no_action(_no_object(tokens, verbs), verbs)


def _no_object(tokens: tuple[Token, ...], verbs: Collection[str]) -> tuple[Token, ...]:
    """Return "never send mail after 10 pm" for "send no mail after 10 pm", if it is one action."""
    found, known = _NO_OBJECT.fullmatch(text_of(tokens)), {*verbs, *lexicon.VERBS}
    if found is None or not found["x"] or found["v"] not in known - _OTHERS:
        return tokens
    words = found["x"].split()
    joined = {words[at + 1] for at, word in enumerate(words[:-1]) if word in {"and", "or", ",", ";", "but"}}
    if joined & ({"no", "nothing", "never", "do", "you", "only"} | known):
        return tokens
    anything = "anything" if found["no"] == "nothing" else ""
    return replaced(tokens, found, f"never {{v}} {anything} {{x}}")


def _no_action(tokens: tuple[Token, ...], verbs: Collection[str]) -> tuple[Token, ...]:
    """Return "never deploy to production" for "no deployments to production"."""
    found = _DONE_LATER.fullmatch(text_of(tokens))
    noun = found["noun"].removesuffix("s") if found else ""
    verb = lexicon.NOMINAL.get(noun) or lexicon.ACTIONS.get(noun) or next(iter(bases_of(noun, form="s")), noun)
    return replaced(tokens, found, "never {verb} {r}", {"verb": verb}) if found and verb in verbs else tokens
