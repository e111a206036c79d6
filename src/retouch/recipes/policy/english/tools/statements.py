"""Statements that rule nothing whatever the tools at hand do: what mostly happens, what happened once, what a thing is.

"Most customers write to me about late orders" speaks of writing, which a tool may do, and still forbids and permits
nothing. Such a statement has a word or a form that no rule has ("most", "usually", "last year"), and none of the words
that could be a part of a rule.
"""

from __future__ import annotations

import re

# Words before a statement, and the reason after it: they rule nothing if the rest does not.
_BEFORE = re.compile(
    r"(?:(?:good (?:morning|afternoon|evening)|hi|hello|hey|hi there|by the way|btw|fyi|for context|some context|"
    r"heads up|just so you know|as background|background|context)[,:!] ?)+"
)
_BECAUSE = re.compile(r",? because (?:of )?(?P<why>.+)")
_SINCE = re.compile(r"\bsince (?=(?:(?:january|february|march|april|may|june|july|august|september|october|november|"
                    r"december) )?(?:19|20)\d\d$|(?:last )?(?:spring|summer|autumn|winter|year|month)$)")  # fmt: skip
# What has a word that a rule may have as well, and in these places cannot: told in plain words before words are judged.
_PLAINER = (
    (re.compile(r"\b(?P<kept>sorted|grouped|ordered|arranged|organi[sz]ed|indexed|filed) by\b"), r"\g<kept> in"),
    (re.compile(r"\b(?P<kept>(?:was|were) (?:set up|built|made|created|written|founded|installed|designed)) by\b"),
     r"\g<kept> at"),
    (re.compile(r"^(?P<kept>(?:most|many|half|the majority)\b.*?) (?:to|from|for|with) (?:me|us)\b"), r"\g<kept>"),
    (re.compile(r"^(?P<kept>(?:most|many|half|the majority)\b.*?) (?:prefer|use) "), r"\g<kept> have "),
    (re.compile(r"\b(?P<kept>holds|contains|has) all (?=our|my|the)"), r"\g<kept> "),
    (re.compile(r"\b(?P<kept>and (?:ship|sell|send|deliver) )them all (?=over|across|around)"), r"\g<kept>"),
    (re.compile(r"^(?P<kept>we|i) use (?P<what>.+?) (?=(?:mostly|mainly|usually|often) )"), r"\g<kept> run \g<what> "),
    (re.compile(r"^(?P<kept>the|our|my) (?P<what>.+? is from (?:19|20)\d\d), so it (?=\w+ (?:slowly|badly|loudly)$)"),
     r"\g<kept> \g<what> and it "),
)  # fmt: skip
_KEEP = re.compile(r"^(?:we|i) keep (?P<what>(?:my|our) .+?) (?P<how>sorted|grouped|ordered|arranged|organi[sz]ed) ")
_NAME = re.compile(r"#[a-z][\w-]*|(?<![\w/~.])~?/[\w.-]+(?:/[\w.-]+)*(?= is an? )")

_WORD = r"(?!(?:and|or|but|so) )[a-z0-9][a-z0-9.'-]*"
_WORDS = rf"(?: {_WORD}){{1,10}}(?:(?:,| and|, and)(?: {_WORD}){{1,6}})?"
_FEW = rf"{_WORD}(?: {_WORD}){{0,4}}?"
_OURS = rf"(?:(?:the|our|my|this|these) {_FEW})"
_WHO = rf"(?:we|i|they|{_OURS})"
_HEDGE = r"(?:mostly|mainly|usually|often|typically|sometimes)"
_MOST = r"(?:most|many|half|a lot|lots|the majority|a third|a few|some|about half|around half)"
_COUNT = r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twelve)"
_BE = r"(?:is|are|was|were)"
_HAPPENED = (
    r"(?:moved|switched|migrated|opened|started|began|founded|joined|grew|relocated|launched|bought|built|adopted|"
    r"hired|came|went|got|wrote|made|took|had|lost|won|sold|renamed|merged|retired|married|inherited|chose|changed|"
    r"set up|installed|replaced|created|imported|used to \w+)"
)
_WHEN = (
    r"(?:in (?:[a-z]+ )?(?:19|20)\d\d|last (?:year|month|week|spring|summer|autumn|winter|[a-z]+day)|"
    rf"(?:a few|{_COUNT}|some|many) (?:years|months|weeks) ago|yesterday|recently)"
)
_DESCRIBED = (
    r"(?:noisy|busy|old|slow|big|small|large|huge|messy|crowded|cluttered|chaotic|full|new|fast|long|short|young|tiny|"
    r"outdated|ancient|popular|modern|well organi[sz]ed|unreliable|flaky)"
)
_SHADE = "(?:very |quite |really |a bit |rather |pretty )?"
_ORDERED = r"(?:sorted|grouped|ordered|arranged|organi[sz]ed|indexed|filed)"
_MADE = r"(?:maintains?|develops?|built|wrote|started|founded|designed|created)"
_STATEMENTS = tuple(
    re.compile(one)
    for one in (
        # What holds for most of them, or mostly, is no rule for each of them.
        (
            rf"{_MOST}(?: of)?(?: (?:the|my|our|these|them|us))?(?: {_WORD}){{0,4}}? "
            rf"(?:{_BE}|has|have|had|do|come|comes|live|lives|work|works|prefer|write|use|go|goes|pay|read|send|ask|call|"
            rf"buy|order|visit|book|speak|want|like|arrive|happen|contain|start|end|run|need){_WORDS}"
        ),
        rf"{_WHO}(?: {_BE}|am)? {_HEDGE}{_WORDS}",
        rf"(?:i am|we are|it is|{_OURS} {_BE}) {_HEDGE}{_WORDS}",
        rf"(?:we|i) run {_FEW} {_HEDGE}{_WORDS}",
        rf"{_HEDGE}{_WORDS}",
        rf"(?:we|i) \w+ most of{_WORDS}",
        rf"{_OURS} (?:holds|contains) (?:our|my|the){_WORDS}",
        # What happened.
        rf"{_WHO} {_HAPPENED}(?:{_WORDS})? {_WHEN}(?: with{_WORDS})?",
        rf"{_WHEN} {_WHO} {_HAPPENED}{_WORDS}",
        (
            rf"{_WHO} (?:was|were) (?:set up|built|made|created|written|founded|installed|bought|started|imported|"
            rf"designed|painted|renovated|opened|launched){_WORDS}"
        ),
        # Who made something, and what it is.
        rf"(?:we|i|(?:our|my) team(?: of {_COUNT})?|{_COUNT} of us|(?:our|my|the) {_WORD} team) {_MADE}{_WORDS}",
        rf"{_OURS} is an? (?!no ){_FEW}(?: (?:with|of|in|from|running|called|named){_WORDS})?",
        rf"it is an? (?!no ){_FEW}(?: (?:with|of|in|from|running){_WORDS})?",
        (
            rf"(?:{_OURS}|{_WORD}) {_BE} {_SHADE}{_DESCRIBED}(?: and {_SHADE}{_DESCRIBED})?"
            rf"(?: (?:on|in|at|around|from|of){_WORDS})?"
        ),
        rf"(?:the|our|my) {_FEW} {_BE} from (?:(?:19|20)\d\d|{_WORD})",
        r"it \w+ (?:slowly|badly|loudly)",
        rf"(?:my|our) {_FEW} {_BE} {_ORDERED} (?:by|into|in){_WORDS}",
        rf"{_WORD} and {_WORD} share (?:one|an?|the|our){_WORDS}",
        rf"(?:we are|i am) (?:{_HEDGE} )?(?:logged|signed) in{_WORDS}",
        (
            rf"(?:we|i) (?:open|close) (?:the|our|my) (?:shop|store|office|cafe|restaurant|bakery|salon|gallery) at "
            rf"{_WORD}(?: [ap]m)?(?:,? and (?:open|close) (?:it )?at {_WORD}(?: [ap]m)?)?"
        ),
        (
            rf"(?:we|i|(?:our|my) \w+) (?:plan|manage|run|lead|organi[sz]e|head|look after) (?:the|our|my|an?) "
            rf"(?:{_WORD} )?(?:week|office|front office|shop|store|team|company|firm|school|club|family|household|"
            rf"department|studio|practice|business)(?: (?:at|in|on|with|of|together){_WORDS})?"
        ),
    )
)
# A habit that goes with one of these words is somebody's task, or the way in which something has to be done; a thing
# that is one of these is judged, as in "the deletion of files is a crime".
_TASKS = re.compile(
    r"\b(?:myself|ourselves|themselves|himself|herself|personally|manually|by hand|first$|go(?:es)? (?:through|to|via)|"
    r"deal-?breaker|area|zone|territory|domain|place|space|matter|thing|sin|crime|mistake|disaster|offen[cs]e|"
    r"problem|issue|sanctuary|shrine|fortress|sacred|bad|good|wrong|"
    r"terrible|fine|ok|okay|welcome|forever|exception\w*|separate\w*)\b"
)


def without_context(plain: str) -> str:
    """Return a sentence in lower case without a greeting before it, and without the sign of a channel's name."""
    plain = _NAME.sub("it", _BEFORE.sub("", plain, count=1))
    plain = _KEEP.sub(r"\g<what> are \g<how> ", plain)
    for found, plainer in _PLAINER:
        plain = found.sub(plainer, plain)
    return _SINCE.sub("in ", plain).replace("in last ", "last ")


def without_because(plain: str) -> tuple[str, str]:
    """Return a sentence without its reason, and the reason, or ""."""
    found = _BECAUSE.search(plain)
    return (plain, "") if found is None else (plain[: found.start()], found["why"])


def is_statement(plain: str) -> bool:
    """Return whether a part of a sentence in lower case only states something, if no word of it could be a rule's."""
    return _TASKS.search(plain) is None and any(one.fullmatch(plain) for one in _STATEMENTS)
