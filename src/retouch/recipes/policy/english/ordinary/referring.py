"""Replaces the words of a part that stand for something of the parts before: "never delete one", "you may read them".

They stand for the object of the part before. A part is not read if they may stand for something else as well.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.english.words.naming import DETERMINERS, PREPOSITIONS, STOP
from retouch.recipes.policy.english.words.tokens import Token

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from retouch.recipes.policy.english.ordinary.alone import ReadPart
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.acts import Act, Qualifier, Stance
    from retouch.recipes.policy.english.words.sentences import Meaning

# What refers to something before, and is no word for an object: nobody knows to which part of it.
_REFERS = word_set(
    "its their this these those ones other others another else rest remaining same so there then here instead either "
    "both neither otherwise such again former latter likewise similar corresponding respective he him his she her hers "
    "ditto"
)
_FOR_OBJECTS = word_set("one ones it them they any")
_PLURAL = word_set("ones them they")
_DEFINITE = word_set("it them they")
_COMPARED = word_set(
    "more less fewer larger bigger higher longer smaller lower shorter cheaper heavier lighter greater pricier later "
    "earlier newer older"
)
_RELATIVE = word_set(
    "is are was were has have start starts begin begins cost costs contain contains go goes exceed exceeds last lasts "
    "come comes belong belongs do does"
)
_AFTER = STOP | {"", "that", "which", "whose"}
_BEFORE_NUMBERS = STOP | DETERMINERS | word_set("another this these those such same last next first exactly only just")
_INTO = word_set("to into onto")
_UNLIMITING = frozenset({"count", "per"})


@dataclass(frozen=True, kw_only=True)
class Replaced:
    """The words of a part without those that refer. `limited`: what they stand for had a limit before."""

    tokens: tuple[Token, ...]
    is_replaced: bool = False
    is_definite: bool = False
    has_limit: bool = False
    has_any_limit: bool = False

    def allows(self, stances: set[Stance]) -> bool:
        """Return whether nothing is lost: "them" may be those with the limit, and no permission is for all of them."""
        if not self.is_replaced:
            return True
        return not (self.is_definite and self.has_limit) and not (self.has_any_limit and "permit" in stances)


@dataclass(frozen=True, kw_only=True)
class _Object:
    """An object of a part: its words, and the act that it belongs to."""

    raw: tuple[str, ...]
    act: Act

    @property
    def is_plural(self) -> bool:
        return singular(self.raw[-1].lower()) != self.raw[-1].lower()


def with_antecedent(
    tokens: tuple[Token, ...],
    before: tuple[ReadPart, ...],
    toolbox: Toolbox,
    meanings: Callable[[tuple[Token, ...]], set[Meaning]],
) -> Replaced | None:
    """Return the words of a part, each that stands for an object replaced by it. None if one can stand for two things.

    `meanings` reads words alone.
    """
    places = [at for at in range(len(tokens)) if _stands_for_object(tokens, at)]
    rest = [at for at in range(len(tokens)) if at not in places]
    if any(_refers(tokens, at) for at in rest) or len(places) > 1:
        return None
    if not places:
        return Replaced(tokens=tokens)
    (at,) = places
    found = [_object_of(part) for part in before]
    one = found[-1]
    if one is None or (tokens[at].text in _PLURAL and not one.is_plural) or (tokens[at].text == "it" and one.is_plural):
        return None
    replaced = _with(tokens, at, one.raw)
    meant = meanings(replaced)
    for other in _rivals(before, one, toolbox):
        if meanings(_with(tokens, at, (other,))) - meant:
            return None
    limits = [each for each in one.act.qualifiers if each.kind not in _UNLIMITING]
    return Replaced(
        tokens=replaced,
        is_replaced=True,
        is_definite=tokens[at].text in _DEFINITE,
        has_limit=any(not _is_complement(each) for each in limits) or bool(one.act.exceptions),
        has_any_limit=bool(limits or one.act.exceptions),
    )


def _is_complement(one: Qualifier) -> bool:
    """Return whether a qualifier belongs to the verb: "into Archive", "on Mondays"."""
    return one.word in _INTO or one.kind == "time"


def _stands_for_object(tokens: tuple[Token, ...], at: int) -> bool:
    texts = [one.text for one in tokens]
    text = texts[at]
    after = texts[at + 1] if at + 1 < len(texts) else ""
    before = texts[at - 1] if at else ""
    ends = (after in _AFTER or after.endswith("ly")) and after != "of"
    if text not in _FOR_OBJECTS or tokens[at].quoted or before == "of":
        return False
    if text == "it":
        return after not in {"is", "was", "will"} and at > 0
    if text in {"they", "them"}:
        return True
    if text == "any":
        return ends and after not in {"other", "more", "less"}
    if text == "ones" and before in {"the", "those"}:
        return after in {"that", "which", "whose", "with", *PREPOSITIONS}
    return ends and re.fullmatch("[a-z-]+", before) is not None and before not in _BEFORE_NUMBERS


def _refers(tokens: tuple[Token, ...], at: int) -> bool:
    """Return whether a word refers to something that is not known."""
    text = tokens[at].text
    after = tokens[at + 1].text if at + 1 < len(tokens) else ""
    before = tokens[at - 1].text if at else ""
    if text in _COMPARED:
        return after != "than" and before not in {"or", "and"}
    if text == "that":
        return after not in _RELATIVE or before in STOP or not re.fullmatch("[a-z-]+", before)
    if text == "any":
        return after in {"other", "of", "more", "less", ""}
    if text in {"one", "it", "them", "they"}:
        return True
    return text in _REFERS


def _with(tokens: tuple[Token, ...], at: int, raw: tuple[str, ...]) -> tuple[Token, ...]:
    """Return the words with an object in the place of the one that stands for it, with an article if it had none."""
    text = tokens[at].text
    start, article = at, {"one": ("a",), "any": ("any",), "it": ("the",)}.get(text, ())
    if text == "one" and at > 1 and tokens[at - 2].text in {"a", "an"}:
        article = ()
    if text == "ones" and tokens[at - 1].text in {"the", "those"}:
        start = at - 1
    noun = raw if text not in {"one", "any"} else (*raw[:-1], singular(raw[-1].lower()))
    made = tuple(Token(text=one.lower(), raw=one) for one in (*article, *noun))
    return (*tokens[:start], *made, *tokens[at + 1 :])


def _object_of(part: ReadPart) -> _Object | None:
    """Return the object of a part. None if it has none, or several."""
    found: dict[tuple[str, ...], _Object] = {}
    for reading in part.readings:
        acts = reading[-1].acts
        things = [thing for act in acts for thing in act.things]
        if len(things) != 1 or not things[0].nouns or things[0].is_owned:
            return None
        raw = _first_noun(part, things[0].nouns) if part.by_words else things[0].raw
        found[tuple(map(singular, map(str.lower, raw)))] = _Object(raw=raw, act=acts[-1])
    return next(iter(found.values())) if len(found) == 1 and all(found) else None


def _first_noun(part: ReadPart, nouns: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of the noun that comes first: what is done to something stands before where it is done."""
    places = {
        at: tuple(one.raw for one in part.tokens[at : at + len(noun.split())])
        for noun in nouns
        for at in range(len(part.tokens))
        if [singular(one.text) for one in part.tokens[at : at + len(noun.split())]] == noun.split()
    }
    return places[min(places)] if places else ()


def _rivals(before: tuple[ReadPart, ...], one: _Object, toolbox: Toolbox) -> Iterator[str]:
    """Yield the other nouns of the parts before that name things of the tools."""
    own = {singular(word.lower()) for word in one.raw}
    heads = {tool.head for tool in toolbox.tools} | toolbox.words.given
    texts = dict.fromkeys(token.text for part in before for token in part.tokens)
    yield from (text for text in texts if singular(text) in heads and singular(text) not in own)
