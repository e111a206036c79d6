"""What phrases of a sentence say of an action, wherever they stand: it is fine, it is forbidden, or I am asked first.

A pattern matches whole words and all of its words, so that a negation is never left out. The words that fill a pattern
are synonyms. Each phrase says what must follow it: a verb in some form, an object, or nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.recipes.policy.english.stances.search import filled, is_opposite, is_said, reverses, stated, unless_agreed
from retouch.recipes.policy.english.words import idioms
from retouch.recipes.policy.english.words.word_templates import words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.frames.phrases import Phrases
    from retouch.recipes.policy.english.words.acts import Stance

Takes: TypeAlias = Literal["base", "ing", "ed", "s", "thing", "place", "held", "none"]
ALL_STANCES: frozenset[Stance] = frozenset({"permit", "forbid", "ask"})
_STRICT: frozenset[Stance] = frozenset({"forbid", "ask"})


@dataclass(frozen=True, kw_only=True)
class StancePhrase:
    """What one phrase says of an action, or that it says the opposite of what the clause before says of its own.

    `takes`: what must follow it: a verb in this form, an object, a place or host, a time
    that the objects are at, or nothing. `only`: nothing else of
    the kind is permitted. `anaphoric`: a word of it stands for the action, which must be said before. `alone`: only as
    the last words of a clause. `nothing`: it is about anything. `again`: it begins a
    clause about the action before, and a limit of its own follows.
    """

    stance: Stance | Literal["opposite"]
    takes: Takes
    only: bool = False
    anaphoric: bool = False
    alone: bool = False
    nothing: bool = False
    again: bool = False


_IT = r"(?:it|that|this|those|these|them|so|one)"
_ME = r"(?:me|us|the user)"
_I = r"(?:i|we)"
_WHO = rf"(?:{idioms.WHO.pattern}|it|claude)"
_ALSO = r"(?: (?:also|always|of course|still|certainly|gladly|happily|freely|just|simply|now|then))*"
_FIRST = (
    r"(?:(?: ,)? (?:first|beforehand|in advance|every time|each time|always|before (?:it|they|anything) "
    r"(?:goes|go|gets|get|is|are) (?:out|sent|live|published|booked|paid|done)|before (?:it|they) (?:leaves?|happens?)"
    r"(?: the house)?))*"
)
_OK = (
    r"(?:ok|yes|approval|permission|confirmation|consent|agreement|go-ahead|go ahead|green light|sign-off|signature|"
    r"nod|blessing|say-so|word|authorization|authorisation)"
)
_MY_OK = rf"(?:(?:my|our) (?:own |explicit |prior |written |personal |clear )?{_OK}|(?:a|an) {_OK} from {_ME})"
_SEE = (
    r"(?:see|approve|confirm|check|review|read|ok|okay|agree to|sign off on|look at|look over|hear about|know about|"
    r"have a look at|take a look at|authorize|authorise|vet|decide on|decide about|decide)"
)
_SEEN = (
    r"(?:seen|approved|confirmed|checked|reviewed|read|okayed|ok'd|agreed(?: to)?|signed off(?: on)?|said (?:yes|so|ok)"
    r"(?: to)?|looked (?:at|over)|told (?:you|it) (?:to|so)|allowed|given (?:you )?(?:my|the) "
    rf"{_OK}(?: (?:to|for))?|authorized|cleared)"
)
_SEES = (
    r"(?:say (?:yes|so|ok)(?: to)?|agree(?: to)?|approve(?: of)?|confirm|allow|ok|okay|see|tell (?:you|it) (?:to|so)|"
    rf"sign off(?: on)?|give (?:you )?(?:my|the) {_OK}(?: (?:to|for))?|ask (?:you |it )?(?:to|for)|want)"
)
_AGREED = rf"{_I} (?:(?:have|had) (?:already |first |explicitly )?{_SEEN}|(?:explicitly )?{_SEES})(?: {_IT})?{_FIRST}"
_ASK_ME = (
    rf"(?:(?:ask|consult|ping|message|call|warn|notify) {_ME}|"
    rf"(?:check|confirm|verify|double-check|clear|discuss|check in|speak|talk) (?:{_IT} )?(?:with|to) {_ME}|"
    rf"(?:run|get|put) {_IT} (?:by|past) {_ME}|(?:come|talk|speak|turn|go|get back|reach out|come back) to {_ME}|"
    rf"get hold of {_ME}|(?:get|wait for|ask for|obtain|have|seek) {_MY_OK}|get (?:a|an|the) {_OK}(?: from {_ME})?|"
    rf"let {_ME} {_SEE}(?: {_IT})?|show (?:{_IT} to )?{_ME}|bring {_IT} to {_ME})"
)
_ASK = (
    rf"(?:(?:always|please|better|rather|you) )*{_ASK_ME}(?: (?:about|for) {_IT})?{_FIRST}|"
    rf"{idioms.ASK.pattern}"
)
_GOOD = r"(?:fine|ok|allowed|permitted|acceptable|welcome|good|no problem|not a problem|no issue|alright|all right)"
_WITH_ME = r"(?: (?:for you|with me|by me|with us|by us))?"
_IS = r"(?:is|are|remains?|stays?)"
_MODAL = r"(?:must|may|can|should|shall|will|could|ought to)"
_NOT = r"(?:not|never)(?: ever)?"
_NEVER = (
    r"(?:under no circumstances?|in no case|on no account|at no time|by no means|at no point|in no way|never ever|"
    r"never|do not ever|do not)"
)

_FINE = (
    rf"{_IS}{_ALSO}(?: (?:perfectly|totally|completely|absolutely|generally))? {_GOOD}{_WITH_ME}",
    r"(?:no|not a) problem",
    r"by all means",
    r"(?:you (?:can|may|should) )?go (?:right |straight )?ahead(?: with it)?",
    r"feel free",
    r"be my guest",
    rf"(?:{_IT} )?{_IS} (?:entirely |completely |all )?(?:up to you|yours)",
    r"you do not need me for (?:it|that)",
    rf"(?:you )?(?:need not|do not (?:need|have) to) (?:ask|check with|bother)(?: {_ME})?(?: (?:first|about {_IT}))*",
    rf"(?:does|do|will) not (?:need|require|take) (?:my|any|an?) {_OK}",
    rf"needs? no {_OK}",
    r"(?:can|may|could)(?: just| simply)? (?:go|happen)(?: (?:out|ahead|through|straight out|right out))?",
    r"i do not mind",
    rf"{_IS} your (?:job|call|decision|business|playground)",
)
_BAD = (
    rf"{_IS}{_ALSO} (?:{idioms.BAD.pattern})",
    rf"{_IS} {_NOT} (?:{_GOOD}|up to (?:you|it)){_WITH_ME}",
    rf"{_IS} never up to (?:you|it)",
    rf"{_IS} (?:up to|for) {_ME}(?: alone| only)?",
    rf"{_IS} (?:my|our) (?:job|call|decision|business|task|thing|department|responsibility)(?: alone| only)?",
    r"(?:is|are) (?:mine|ours)(?: alone)?(?: to \w+)?",
    r"(?:is|are) not yours(?: to \w+)?",
    rf"(?:{_I} will|{_I}) (?:do|handle|take care of|see to|manage)(?: {_IT})? myself",
    r"the answer is no",
    r"(?:keep )?(?:your )?hands off(?: (?:it|that|those|them))?",
    r"(?:is|are) none of your (?:business|concern)",
    rf"(?:{_IS} )?(?:something|a thing) (?:that )?you (?:must|should|may|can) never do",
    r"(?:not happening|forget it)",
    r"(?:stays?|remains?|(?:must|should|has to|have to) (?:stay|remain)) (?:off limits|off-limits|closed|untouched)",
)
_DO_IT = (
    rf"you{_ALSO} do(?: {_IT})?",
    rf"(?:you )?(?:can|may){_ALSO} do(?: {_IT})?(?: (?:yourself|alone))?",
    rf"do {_IT}(?: (?:yourself|alone))?",
)
_DO_NOT_DO_IT = (
    rf"{_I} (?:do|will do) {_IT}",
    rf"(?:you )?(?:should |must )?leave(?: {_IT})? to {_ME}",
    rf"(?:you )?(?:do not|never) (?:touch|do)(?: {_IT})?",
    rf"(?:you )?(?:can|may|must|should) (?:not|never) (?:touch|do)(?: {_IT})?",
)
_ASKED = (
    _ASK,
    rf"{_I} (?:want|would like|need|wish|have|like) to {_SEE}(?: {_IT})?{_FIRST}",
    rf"{_I} (?:want|would like|need|have|expect) to be (?:asked|consulted|told)(?: about {_IT})?{_FIRST}",
    rf"{_I} (?:must|will|have to) {_SEE}(?: {_IT})?{_FIRST}",
    rf"{_I} (?:approve|decide|confirm|sign off)(?: {_IT})?{_FIRST}",
    (
        r"(?:(?:has|have|needs?|must|should)(?: to)? )?(?:always )?(?:goe?s?|comes?|pass|runs?) (?:through|past|by|to) "
        rf"{_ME}{_FIRST}"
    ),
    rf"(?:always |also )?(?:needs?|requires?|takes?) (?:{_MY_OK}|asking {_ME}|{_ME}){_FIRST}",
    idioms.NEEDS.pattern,
    rf"only (?:after|if|once|when|with) (?:{_AGREED}|you (?:have )?(?:ask|asked|checked with) {_ME}{_FIRST}|{_MY_OK})",
    idioms.ONLY_IF.pattern,
    rf"(?:you )?need {_MY_OK}(?: for {_IT})?{_FIRST}",
    rf"not without (?:{_MY_OK}|asking {_ME}|{_ME})",
    rf"{_IS}{_ALSO} {_GOOD} (?:only )?(?:if|after|once|when|with) (?:{_AGREED}|{_MY_OK})",
    r"ask(?: first)?",
)
_BEFORE = (
    r"(?:before you(?: ever| actually)?|if you (?:want|need|have) to|when(?:ever)? you(?: (?:want|need|have) to)?)"
)
_MAY_DO = (
    rf"{_WHO} (?:may|can|could){_ALSO}",
    rf"{_WHO} (?:are|is){_ALSO} (?:allowed|permitted|free|welcome) to(?: also)?",
    rf"{_WHO} (?:have|has) (?:my |full |the )?permission to",
    idioms.PERMIT_OPENINGS.pattern,
    rf"{_WHO} (?:just|simply)",
    rf"(?:it is )?no problem (?:if|when) {_WHO}",
    rf"{_WHO} get to",
    rf"(?:you )?(?:need not|do not (?:need|have) to|no need to) ask(?: {_ME})?(?: first)? before you",
)
_MUST_NOT_DO = (
    rf"{_WHO} (?:{idioms.MUST_NOT.pattern})",
    rf"{_WHO} (?:do|does|are to|is to|will|are|is) (?:not|never)(?: to)?(?: ever)?",
    rf"{_WHO} never(?: ever)?",
    idioms.FORBID_OPENINGS.pattern,
    _NEVER,
    r"(?:nobody|no one|no-one) (?:may|can|must|should)",
    rf"{_I} (?:do not|would not|never) (?:want|like) (?:you|it) to",
    rf"{_WHO} (?:have|has) no business",
)
_NOBODY_ELSE = (
    rf"(?:nobody|no one|no-one) (?:but|except|other than|besides) {_ME}(?: ever)?",
    rf"only {_I}",
)

_TABLE: tuple[tuple[StancePhrase, tuple[str, ...]], ...] = (
    (StancePhrase(stance="permit", takes="none"), _FINE),
    (StancePhrase(stance="forbid", takes="none"), _BAD),
    (StancePhrase(stance="ask", takes="none"), _ASKED),
    (StancePhrase(stance="permit", takes="none", anaphoric=True, alone=True), _DO_IT),
    (StancePhrase(stance="forbid", takes="none", anaphoric=True, alone=True), _DO_NOT_DO_IT),
    (
        StancePhrase(stance="opposite", takes="none", anaphoric=True, alone=True),
        (r"(?:is|are|does|do|can|may) not(?: though)?",),
    ),
    (
        StancePhrase(stance="forbid", takes="none", anaphoric=True, again=True),
        (r"(?:never|not)(?: ever)?(?: (?:those|them|ones|the ones|any|one))?",),
    ),
    (StancePhrase(stance="permit", takes="base"), _MAY_DO),
    (
        StancePhrase(stance="permit", takes="base", only=True),
        tuple(
            rf"{_WHO} {one}"
            for one in (
                r"(?:may|can|could|must|should)(?: also)? only",
                r"(?:are|is) only (?:allowed|permitted|free) to",
            )
        ),
    ),
    (StancePhrase(stance="forbid", takes="base"), _MUST_NOT_DO),
    (
        StancePhrase(stance="ask", takes="base"),
        (
            rf"(?:{_ASK}) {_BEFORE}",
            rf"{_I} (?:want|would like|need|have) to be (?:asked|consulted) {_BEFORE}",
            rf"(?:you )?need {_MY_OK} (?:to|before you)",
        ),
    ),
    (
        StancePhrase(stance="permit", takes="ing"),
        (
            rf"{_I} (?:am|are) (?:fine|ok|happy) with(?: you)?",
            r"(?:(?:i|we) (?:have|see) )?(?:no problem|nothing against|no objections? to)(?: with)?(?: you)?",
            rf"(?:you )?(?:need not|do not (?:need|have) to|no need to) ask(?: {_ME})?(?: first)? (?:before|about)",
        ),
    ),
    (
        StancePhrase(stance="forbid", takes="ing"),
        (
            r"(?:there (?:is|will be|must be|should be) )?no",
            r"(?:please )?(?:hold off on|refrain from|stay away from|stop|avoid|keep from|steer clear of)",
        ),
    ),
    (StancePhrase(stance="ask", takes="ing"), (rf"(?:{_ASK}) (?:before|prior to|about|when)",)),
    (
        StancePhrase(stance="permit", takes="ed"),
        (r"(?:may|can|could)(?: also| always| freely| just)? be", r"(?:are|is) (?:allowed|permitted|free) to be"),
    ),
    (
        StancePhrase(stance="permit", takes="ed", only=True),
        (r"(?:may|can|could|must|should|shall) (?:only be|be only)", r"(?:are|is) only to be"),
    ),
    (
        StancePhrase(stance="forbid", takes="ed"),
        (
            rf"{_MODAL} {_NOT} (?:be|get)",
            r"(?:are|is) (?:not|never) to be",
            r"(?:never|do not|does not)(?: ever)? (?:gets?|be)",
        ),
    ),
    (
        StancePhrase(stance="forbid", takes="ed", nothing=True),
        (r"nothing(?: ever)? (?:gets|is|may be|must be|can be|should be|is to be|will be)(?: ever)?",),
    ),
    (StancePhrase(stance="forbid", takes="held"), (rf"{_MODAL} {_NOT}",)),
    (StancePhrase(stance="forbid", takes="s"), _NOBODY_ELSE),
    (
        StancePhrase(stance="forbid", takes="base"),
        tuple(
            rf"{one} (?:may|can|should|must|shall|is allowed to|am allowed to|are allowed to)" for one in _NOBODY_ELSE
        ),
    ),
    (
        StancePhrase(stance="forbid", takes="thing"),
        (
            r"(?:absolutely |strictly )?no",
            r"there (?:is|are|must be|should be|will be|may be) (?:to be )?no",
            rf"(?:{_I} )?(?:do not|never) want(?: any)?",
            r"not (?:an?|one|a single)",
        ),
    ),
    (
        StancePhrase(stance="forbid", takes="place"),
        (
            r"(?:please )?(?:keep (?:your )?)?hands off",
            r"(?:please )?(?:stay|keep) (?:well )?(?:away from|out of|off|clear of)",
            r"(?:please )?steer clear of",
            r"(?:you )?(?:have|has) no business (?:in|with)",
        ),
    ),
    (StancePhrase(stance="ask", takes="thing"), (rf"(?:{_ASK}) (?:for|about|before|on)",)),
    (
        StancePhrase(stance="permit", takes="thing"),
        (rf"(?:you )?(?:need not|do not (?:need|have) to|no need to) ask(?: {_ME})?(?: first)? (?:for|about)",),
    ),
)
_FILLERS: tuple[tuple[frozenset[Stance], str], ...] = (
    (
        ALL_STANCES,
        (
            r"please|of course|though|then|simply|just|instead|as usual|for (?:me|us)|on my behalf|in any case|"
            r"always|generally|kindly|however|actually|really|certainly|by you|yourself|"
            r"by yourself|(?:by|with) the (?:agent|assistant|bot)|"
            r"no matter (?:what|which|who|where|when|to whom|whose)(?: [a-z]+ (?:it )?(?:is|are))?|"
            r"whoever asks|if (?:needed|necessary|possible)|obviously|naturally|at all times|in fact|if at all"
        ),
    ),
    (
        frozenset({"permit"}),
        (
            rf"{idioms.FREELY.pattern}|whenever (?:it helps|needed|you like|you need(?: {_IT}| to)?|you want(?: to)?)|"
            r"as (?:much|often|many) as you (?:need|like|want|please)|"
            rf"(?:all|any) (?:day long|time)(?: if you like| you like)?|without (?:me|asking(?: {_ME})?|"
            rf"(?:checking|talking) (?:with|to) {_ME})|on your own|as you (?:see fit|please|like|wish)|if you like|"
            r"where(?:ver)? you like|happily|freely|gladly|right away|directly"
        ),
    ),
    (
        _STRICT,
        (
            rf"{idioms.EVER.pattern}|anywhere|ever|at all|(?:i do not care )?(?:who|what) (?:is|it is|asks|is asking)|"
            r"not even (?:once|one)|no exceptions?|in any way|for any reason|at any time|period|"
            r"under any circumstances?"
        ),
    ),
)
_WIDENING = frozenset({"too", "also", "well", "even", "either"})  # what follows is added, and limits nothing
_ADDING = _WIDENING - {"even"}
_UNLESS = (
    rf"(?:unless|until|before) (?:{_AGREED})",
    rf"without (?:first )?(?:asking|consulting|checking with|talking to|telling) {_ME}{_FIRST}",
    rf"without asking{_FIRST}",
    rf"without {_MY_OK}{_FIRST}",
    rf"unless you (?:have )?(?:ask|asked|checked with) {_ME}{_FIRST}",
    rf"(?:unless|until) you (?:have|get|got) {_MY_OK}{_FIRST}",
    idioms.WITHOUT.pattern,
    idioms.UNLESS.pattern,
)


def verdicts(words: Phrases, at: int) -> Iterator[tuple[StancePhrase, int]]:
    """Yield the verdicts that start at a position, each with its end.

    A phrase that a longer one begins with is none, if the longer one says otherwise: "no" in "no need to ask".
    """
    said = words_of(words.tokens)
    found = [one for one in _all_verdicts(words, at) if is_said(said, at, one[1], one[0].stance)]
    longest = {one.stance: max(end for other, end in found if other.stance == one.stance) for one, _ in found}
    whole = [(one.stance, end) for one, end in found if one.takes == "none" and not one.alone]
    plain = {stance: max(end for other, end in whole if other == stance) for stance, _ in whole}
    for verdict, end in dict.fromkeys(found):
        other = max((last for stance, last in longest.items() if stance != verdict.stance), default=0)
        longest_one = verdict.takes != "none" or verdict.alone or end == plain.get(verdict.stance)
        if longest_one and (end > other or end == longest[verdict.stance] == other):
            yield verdict, end


def _all_verdicts(words: Phrases, at: int) -> Iterator[tuple[StancePhrase, int]]:
    said = words_of(words.tokens)
    for verdict, pattern in _patterns():
        ends = list(words.matches(at, pattern))
        for end in ends if verdict.takes != "none" else ends[-1:]:
            opposite = verdict.stance == "opposite"
            if _ends_here(words, verdict, end) and (not opposite or is_opposite(said, at, end)):
                yield verdict, end
    for stance, takes, kind, end in stated(words.tokens, at):
        alone = kind == "alone"
        verdict = StancePhrase(stance=stance, takes=takes, only=kind == "only", anaphoric=alone, alone=alone)
        if _ends_here(words, verdict, end):
            yield verdict, end
    for stance, end in reverses(said, at):
        yield StancePhrase(stance=stance, takes="none", anaphoric=True, alone=True), end


def _ends_here(words: Phrases, verdict: StancePhrase, end: int) -> bool:
    return not verdict.alone or end == words.size or words.word(end) in {",", ";"}


def fillers(words: Phrases, at: int) -> Iterator[tuple[int, frozenset[Stance]]]:
    """Yield the ends of words that say nothing, each with the stances that they can be said with."""
    for stances, pattern in _filler_patterns():
        for end in words.matches(at, pattern):
            if _WIDENING.isdisjoint(words.word(one) for one in range(at, end)):
                yield end, stances
    for end, stances in filled(words.tokens, at):
        if _ADDING.isdisjoint(words.word(one) for one in range(at, end)):  # "not even once" adds nothing
            yield end, stances


def agreed(words: Phrases, at: int) -> Iterator[int]:
    """Yield the ends of phrases that make a prohibition a question: "unless I say so", "without asking me first"."""
    yield from dict.fromkeys((*words.matches(at, _pattern(_UNLESS)), *unless_agreed(words.tokens, at)))


def phrases() -> tuple[str, ...]:
    """Return all patterns of verdicts."""
    return tuple(one for _, found in _TABLE for one in found)


@cache
def _patterns() -> tuple[tuple[StancePhrase, re.Pattern[str]], ...]:
    return tuple((verdict, _pattern(phrases)) for verdict, phrases in _TABLE)


@cache
def _filler_patterns() -> tuple[tuple[frozenset[Stance], re.Pattern[str]], ...]:
    return tuple((stances, re.compile(phrases)) for stances, phrases in _FILLERS)


@cache
def _pattern(phrases: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{one})" for one in phrases))
