"""Statements of fact about the user, the firm or the world, which rule nothing: "The hotel has 42 rooms."

A wrong answer drops a rule, so a sentence is only a fact if every part of it has one of a few forms, and if none of its
words could be a part of a rule: no modal, negation, condition, limit, address, amount of money, word for somebody's
duty, and nothing that the tools at hand do or act on where a rule could name it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.statements import is_statement, without_because, without_context
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.lexicon import bases_of, singular, word_set

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.tools.toolbox import Toolbox

MOST_WORDS = 24
_NO_FACT = re.compile(
    r"\b(?:never|nor?|not|cannot|nobody|none|nothing|neither|without|only|just|solely|exclusively|alone|except\w*|"
    r"unless|besides|other|others|else|another|must|shall|should|ought|may|might|can|could|will|would|need\w*|"
    r"have to|has to|had to|required?|requires|if|whether|when\w*|while|until|till|before|after\w*|during|once|"
    r"always|any\w*|each|all|ask\w*|let|approv\w*|confirm\w*|permi\w*|forb\w*|prohibit\w*|den(?:y|ied|ies)|"
    r"refus\w*|ban\w*|limit\w*|restrict\w*|max\w*|min(?:imum)?|at most|at least|up to|cap|capped|quota|budget\w*|"
    r"deadline\w*|threshold|ceiling|floor of|strict\w*|window\w*|freez\w*|frozen|moratorium|embargo\w*|blackout|hold|"
    r"ice|paus\w*|curfew|quiet|off|out of|private\w*|secret\w*|confidential\w*|sensitive|personal|read-only|readonly|"
    r"protect\w*|lock\w*|closed|closing|internal|public|safe|danger\w*|risk\w*|important|critical|taboo|trust\w*|"
    r"careful\w*|want\w*|wish\w*|like|likes|prefer\w*|please|expect\w*|rule\w*|polic\w*|principle\w*|process\w*|"
    r"procedure\w*|convention\w*|standard\w*|norm|routine|custom|agreement\w*|law|laws|gdpr|regulat\w*|complian\w*|"
    r"oblig\w*|promis\w*|commitment\w*|guarantee\w*|right|rights|access\w*|allow\w*|own|owns|owned|owner|belong\w*|"
    r"responsib\w*|duty|duties|job|jobs|task|tasks|charge|hands|handle\w*|decide\w*|decision\w*|agree\w*|matter|"
    r"concern\w*|reserved|exclud\w*|includ\w*|deserv\w*|human|humans|somebody|someone|everybody|everyone|"
    r"you|your|yours|yourself|agent|assistant|bot|ai|model|tool|tools|stay\w*|remain\w*|keep\w*|kept|leave\w*|left|"
    r"stop\w*|avoid\w*|instead|per|percent|euros?|eur|dollars?|usd|pounds?|gbp|chf|francs?|cents?|price\w*|cost\w*|"
    r"through|via|that|which|who|me|us|whom|whose|why|how|because|since|so|therefore|hence|but|though|although|however|by|use|review|"
    r"maintenance|quarantine|question)\b"
    r"|n't\b|[~/@`\"#$%\u20ac\u00a3:;?!*<>=\[\]{}()_\\]"
)
_NUMBER = (
    r"(?:about |around |roughly |some |nearly |almost |over )?"
    r"(?:\d[\d,]*|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy|"
    r"eighty|ninety|several|many|a few|a hundred|a dozen)"
)
_A = rf"(?:{_NUMBER}|a|an)"
_WORD = r"(?!(?:and|or) )[a-z0-9][a-z0-9.'-]*(?:,\d+)?"
_TAIL = (  # what follows a comma and is no new statement
    rf"(?:(?:, {_WORD}){{1,3}},? and {_WORD}|, one in {_WORD} and one in {_WORD}|, (?:mostly|mainly|most of them)"
    rf"(?: {_WORD}){{1,6}})"
)
_AND = rf" (?:and|or)(?: (?:in|at|on|the|a|an|my|our))* {_WORD}"  # never with another statement
_WORDS = rf"(?: {_WORD}){{1,9}}(?:{_TAIL}|{_AND})?"
_FEW = rf"{_WORD}(?: {_WORD}){{0,4}}?"
_THE = r"(?:the|our|my|this|most of the|most of our|most of them)"
_NP = rf"(?:{_THE}(?: {_FEW})?|we|i|{_FEW})"
_MOST = (  # what holds for most of them is no rule for each of them
    rf"(?:most|many|half|the majority|a (?:lot|third|quarter))(?: of)?(?: (?:the|my|our|these))? {_FEW}"
)
_IN = r"(?:in|at|on|near|from|behind|under|around|close to|next to|outside of)"
_WHERE = r"(?:in|at|near|from|behind|close to|next to)"
_YEAR = (
    r"(?:in (?:[a-z]+ )?(?:19|20)\d\d|last (?:year|month|week|spring|summer|autumn|winter)|(?:a few |\w+ )?years ago)"
)
_KINDS = (
    r"(?:company|shop|firm|family|team|school|practice|office|club|bakery|restaurant|hotel|studio|museum|charity|library|"
    r"university|agency|startup|start-up|business|farm|clinic|student|teacher|lawyer|doctor|freelancer|photographer|"
    r"developer|designer|translator|journalist|consultant|publisher|workshop|store|band|choir|town|village|city|"
    r"nonprofit|non-profit|organi[sz]ation|association|foundation|app|application|website|project|service|platform|"
    r"game|plugin|package|podcast|magazine|blog|newspaper|household|couple|nurse|accountant|engineer|programmer|founder|"
    r"manager|author|writer|researcher|landlord|hospital|church|dentist|plumber|gardener|musician|artist|baker|"
    r"retailer|salon|gym|brewery|winery|gallery|theatre|theater|lab|laboratory|collective|cooperative|monorepo)"
)
_IS = rf"(?:we are|i am|it is|{_THE} {_FEW} is|[a-z]+ is)"
_HAPPENED = (
    r"(?:moved|switched|migrated|opened|started|began|founded|was founded|were founded|was built|were built|was opened|"
    r"was renovated|was painted|joined|grew|relocated|launched|was launched|was started|bought|built|adopted|hired)"
)
# Each is a whole part of a fact. What users say about themselves has few verbs: "I approve refunds" is a rule.
_FACTS = tuple(
    re.compile(one)
    for one in (
        rf"(?:my|our) (?:partner|wife|husband|sister|brother|flatmate) and i (?:share|have|live in|rent|run){_WORDS}",
        rf"{_NP} (?:holds|contains?|employs?|serves) {_A}{_WORDS}",
        rf"there (?:is|are|was|were) {_A}{_WORDS}",
        rf"(?:we|i) (?:have|employ|run|rent|operate|teach|sell|grow|bake|host|work with|live with) {_A}{_WORDS}",
        rf"(?:we|i) (?:sell|grow|bake|make|produce|live|work|teach){_WORDS}",
        rf"{_THE} {_FEW} (?:rents? out|sells?|bakes?|grows?|teach(?:es)?|(?:cooks?|works?) for) {_NUMBER}{_WORDS}",
        rf"{_NP} {_HAPPENED}(?:{_WORDS})? {_YEAR}",
        rf"(?:we|i|{_THE} {_FEW}) (?:moved|switched|migrated|relocated) from{_WORDS}",
        rf"{_IS} an? (?:[a-z-]+(?:\.[a-z]+)? ){{0,4}}{_KINDS}(?: (?:{_IN}|with|for|of){_WORDS})?",
        rf"{_THE} {_FEW} is (?:mrs?|ms|dr|prof|called|named) {_WORD}(?: {_WORD})?",
        rf"{_NP} is about{_WORDS}",
        rf"{_MOST} (?:is|are|comes?|lives?|works?)(?: {_IN}| about| over| small)?{_WORDS}",
        rf"{_NP} (?:is|are) (?:spread|scattered|distributed) (?:over|across|between|among){_WORDS}",
        rf"{_THE} {_FEW} (?:is|are|counts) {_NUMBER} (?:people|members|employees|developers|engineers)(?:{_WORDS})?",
        rf"(?:we|i) share (?:this|the|an?|my|our) {_FEW} with (?:my|our|the|two|three) {_WORD}",
        rf"(?:we|i) (?:are|am) (?:hiring|working|living|writing|based|located){_WORDS}",
        rf"{_NP} (?:runs?|run) on {_A}{_WORDS}",
        rf"(?:(?:mrs?|ms|dr|prof) )?[a-z]+ (?:leads|founded|joined|started|lives|works)(?:{_WORDS}| it)",
    )
)
# How many of something there are, where and when it is: a rule, if the tools act on it, as in "payments are in EUR".
_PLACED = tuple(
    re.compile(one)
    for one in (
        rf"(?P<subject>{_NP}) (?:has|have|had|counts) {_A}{_WORDS}",
        rf"(?P<subject>{_THE} {_FEW}|we|i) (?:has|have) [a-z]+s {_IN}{_WORDS}",
        rf"(?P<subject>{_NP}) (?:is|are|was) {_WHERE}{_WORDS}",
        rf"(?P<subject>{_NP}) (?:comes?|arrives?|stands?|sits?|lies?|lives?|works?) {_IN}{_WORDS}",
        rf"(?P<subject>{_THE} {_FEW}) (?:opens?|starts?|begins?|ends?|finish(?:es)?) (?:in|at|on){_WORDS}",
        rf"(?P<subject>{_NP}) is open (?:[a-z]+ to [a-z]+ )?from \d\d?(?::\d\d)? to \d\d?(?::\d\d)?",
    )
)
# What people, firms and machines do, if it is about nothing that the tools at hand say: "The club organises two races".
_BASES = (
    "assemble attend bake breed brew build buy cater celebrate clean coach collect commute compete construct cook "
    "cover craft cultivate cycle deal deliver design develop distribute drive educate employ employs end entertain "
    "export "
    "farm feed film finish fish fix fly go grow harvest heat host import install knit learn lease live look maintain "
    "make manufacture measure meet mine offer operate organise organize paint perform photograph plan plant play "
    "power process produce program race raise recycle rehearse rent repair represent research restore ride roast run "
    "sail scan sell serve sew ship sing sleep span spend start study supply swim teach tour train translate transport "
    "travel treat tune turn visit volunteer walk warm wash watch weave weld"
)
_THIRD = "|".join(
    f"{one[:-1]}ies" if re.search("[^aeou]y$", one) else f"{one}es" if re.search("(?:s|sh|ch|x|o)$", one) else f"{one}s"
    for one in _BASES.split()
)
_BUSY = rf"(?:{'|'.join(_BASES.split())})"
_UNRELATED = tuple(
    re.compile(one)
    for one in (
        rf"(?:we|i|they) (?:mostly |mainly |usually |also )?{_BUSY}{_WORDS}",
        rf"(?:we are|i am|they are|{_THE} {_FEW} (?:is|are)) [a-z]+ing{_WORDS}",
        rf"(?:he|she|it|{_THE} {_FEW}) (?:mostly |mainly |usually |also )?(?:{_THIRD}){_WORDS}",
        rf"(?:(?:{_THE}|most) {_FEW}s|[a-z]+s) (?:mostly |mainly |usually |also )?{_BUSY}{_WORDS}",
        rf"[a-z]+ (?:{_THIRD}) (?:the|our|my|his|her|most of|{_A}){_WORDS}",
        rf"{_NP} (?:is|are) an? (?:{_WORD} ){{1,4}}(?:with|of|in|from){_WORDS}",
        rf"(?:most of )?{_THE} {_FEW}s are {_WORD} (?:[a-z]+s)(?: (?:{_IN}|with|for|of){_WORDS})?",
    )
)
# Parts that go on with what the part before tells.
_CONTINUED = tuple(
    re.compile(one)
    for one in (
        rf"(?:has|have|had|seats|employs|contains?|holds) {_A}{_WORDS}",
        rf"ships? (?:from|over|across|around|to){_WORDS}",
        rf"{_A} [a-z]+(?: [a-z]+)?(?: (?:{_IN}|with|for|of) (?:the |our |a )?[a-z]+)?",
        rf"(?:stands?|sits?|lies?|lives?|works?) {_IN}{_WORDS}",
        rf"(?:closes|ends|opens|finishes) (?:at|in|on){_WORDS}",
        rf"(?:one|two|three|the rest) (?:is |are )?{_IN}{_WORDS}",
    )
)
# Who gets about eighty letters a day has them. What is got in another way may be what a tool does.
_GETTING = re.compile(
    r"\bgets? (?=(?:about|around|roughly|nearly|almost|over|a lot of|lots of|plenty of|dozens of|hundreds of) )"
)
# What is told in words that a rule may have as well, and in plain words: an amount of most things, who works on one.
_AMOUNTS = re.compile(
    rf"(?P<most>\b{_MOST} (?:are|cost)) (?:under|over|around|about|between|below|above) "
    r"(?:[$\u20ac\u00a3]?\d[\d,.]*|[a-z]+)(?: and [$\u20ac\u00a3]?\d[\d,.]*)? "
    r"(?:euros?|eur|dollars?|usd|pounds?|gbp|chf|francs?)\b"
)
_WORKED_ON = re.compile(
    rf" (?:that|which) (?:{_NUMBER} of us|we|i) (?:all )?(?:work on|built|maintain|started)(?: together)?$"
)
_OF_A_KIND = re.compile(rf"\b(?P<kind>{_KINDS}) (?:that|which|who) (?=(?:{_THIRD})\b)")
_STATES_OF = re.compile(r"\b(?:from|in|of) the us(?:a)?\b(?=$|,)")
_OFTEN = "(?:mostly|mainly|usually|often|primarily|generally)"
_USED_FOR = re.compile(
    rf"(?:we|i) (?:{_OFTEN} use you|use you {_OFTEN}) (?:to|for)"
    rf"(?P<what>(?: {_WORD}){{1,8}}(?: and(?: {_WORD}){{1,4}})?)"
)
_LONG = {"re": "are", "m": "am", "ve": "have"}
_SMALL = word_set(
    "the a an of to in on for and or with from at as is are was were been has have had it its this our my we i they he "
    "she about into up down out most some more first second third new them one two three four five six over also mostly"
)
_STATES = word_set("open start end run close")  # what shops and machines do as well


def is_fact(text: str, toolbox: Toolbox) -> bool:
    """Return whether a sentence certainly only tells a fact, with these tools at hand."""
    plain = " ".join(text.replace("\u2019", "'").split()).rstrip(".").lower()
    plain = re.sub(r"^(we|i|they)'(re|m|ve)\b", lambda one: f"{one[1]} {_LONG[one[2]]}", without_context(plain))
    plain = re.sub(r"\b(mrs?|ms|dr|prof)\. ", r"\1 ", plain)
    plain = _GETTING.sub("have ", plain)
    used = _USED_FOR.fullmatch(plain)
    if used is not None and _NO_FACT.search(used["what"]) is None:
        return True
    plain = _AMOUNTS.sub(r"\g<most> small ones", _STATES_OF.sub("from america", plain))
    plain = _OF_A_KIND.sub(r"\g<kind> with ", _WORKED_ON.sub("", plain))
    plain, why = without_because(plain)
    told = f"{plain} {why}"
    if not plain or len(told.split()) > MOST_WORDS or _NO_FACT.search(told) is not None:
        return False
    return any(
        all(_is_told(part, toolbox, continued=at > 0) for at, part in enumerate(parts)) for parts in _divided(plain)
    )


def _divided(plain: str) -> Iterator[list[str]]:
    """Yield the whole sentence, and its parts between ", and", "and" and commas."""
    yield [plain]
    joints = [found.span() for found in re.finditer(r", and |, | and ", plain)]
    for first, one in enumerate(joints):
        yield [plain[: one[0]], plain[one[1] :]]
        for two in joints[first + 1 :]:
            yield [plain[: one[0]], plain[one[1] : two[0]], plain[two[1] :]]


def _is_told(part: str, toolbox: Toolbox, *, continued: bool) -> bool:
    """Return whether a part of a sentence has the form of a fact, and says nothing that the tools do."""
    if is_statement(part):
        return True
    words = [one.strip(".,'") for one in part.split()]
    if any(_is_done(word, toolbox) or word in toolbox.values for word in words):
        return False
    if any(one.fullmatch(part) for one in (*_FACTS, *(_CONTINUED if continued else ()))):
        return True
    going_on = re.fullmatch(rf"(?:{_THIRD}){_WORDS}", part) if continued else None
    if (going_on or any(one.fullmatch(part) for one in _UNRELATED)) and _is_unrelated(words, toolbox):
        return True
    found = next((match for one in _PLACED if (match := one.fullmatch(part))), None)
    named = {noun for one in toolbox.tools for noun in (*one.nouns, *one.argument_words)}
    acted = named | lexicon.NOMINAL.keys() | lexicon.ACTIONS.keys()
    return found is not None and acted.isdisjoint(map(singular, found["subject"].split()))


def _is_unrelated(words: list[str], toolbox: Toolbox) -> bool:
    """Return whether the tools at hand say nothing of what the words mean: no name, value, or description has one."""
    told: set[str] = set()
    for one in toolbox.tools:
        values = (value for texts in one.listed.values() for value in texts)
        texts = (one.tool.comment, *map(one.described, one.tool.args), *values)
        told |= {singular(word) for text in texts for word in re.findall("[a-z]+", text.lower())}
        told |= {*one.nouns, *one.verbs, *one.done, *one.argument_words}
    return told.isdisjoint(
        form
        for word in words
        if word not in _SMALL
        for form in (singular(word), *bases_of(word, form="ing"), *bases_of(word, form="ed"))
    )


def _is_done(word: str, toolbox: Toolbox) -> bool:
    """Return whether a word is a form of what the tools at hand do, or the noun of an action of theirs."""
    bases = {word, word.removesuffix("s"), *bases_of(word, form="ing"), *bases_of(word, form="ed")}
    named = lexicon.NOMINAL.get(singular(word)) or lexicon.ACTIONS.get(singular(word))
    return not (bases - _STATES).isdisjoint(toolbox.verbs) or named in toolbox.verbs
