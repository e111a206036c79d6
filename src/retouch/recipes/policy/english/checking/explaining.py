"""Checks that each tool of a reading explains the words of a simple sentence, so that no word is lost.

"Emails with attachments need my approval" must not become a question about every email because a tool has an argument
for attachments, and "blocked rooms" not all rooms. A word is explained by what a tool says about itself, by the
arguments that are tested, or by the values that they are tested for. What only an untested argument says is lost.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.limits import written_times
from retouch.recipes.policy.english.rewriting import paraphrases
from retouch.recipes.policy.english.stances import stances
from retouch.recipes.policy.english.stances.search import covered
from retouch.recipes.policy.english.tools.act_facts import shows_talks
from retouch.recipes.policy.english.tools.flag_words import words_of_tests
from retouch.recipes.policy.english.tools.known_tools import PEOPLE, nouns_of_argument, split_name
from retouch.recipes.policy.english.tools.label_arguments import words_of_state
from retouch.recipes.policy.english.tools.timed_arguments import CHANGING_TIMES
from retouch.recipes.policy.english.tools.toolbox import can_move
from retouch.recipes.policy.english.words import idioms, lexicon, rates
from retouch.recipes.policy.english.words.lexicon import bases_of, singular, word_set
from retouch.recipes.policy.resources.roles import PATH_ROLES, URL_ROLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import Mood, ToolPart
    from retouch.recipes.policy.english.words.tokens import Token

_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
_ANY = word_set("any every each all")
_BEFORE_TIMES = word_set("on at after before between during")
_JOINING = word_set(", ; and or but except unless")
SMALL_WORDS = lexicon.DAY_WORDS | word_set(
    "a an the this that these those all any every each no none nothing anything everything something whatever what "
    "which who whom whose it its they them their one ones other others else more most less least than then there here "
    "and or but nor if unless except until till while when whenever before after during of to in on at by for from "
    "with without within into onto over under above below between through out up off as about against per via like "
    "i me my mine we us our ours you your yours he him his she her is are am be been being was were do does did done "
    "have has had can could may might must shall should will would need needs ever never always only just also still "
    "even too very quite own same such not yes ok okay fine please thanks new current given certain specific single "
    "thing things item items stuff kind kinds type types sort way time times number amount total least max maximum "
    "new existing available use used using work works day days week weeks month months year hour hours minute minutes "
    "today tomorrow weekday weekdays weekend weekends morning evening night noon midnight am pm "
    "one two three four five six seven eight nine ten eleven twelve thirty hundred thousand million once twice times "
    "long longer short shorter high higher low lower large larger big bigger great greater small smaller few fewer "
    "cheap cheaper expensive heavy heavier much many far cost costs costing last lasts lasting exceed exceeds contain "
    "contains containing include includes including start starts starting begin begins beginning end ends ending "
    "worth provided "
    "otherwise prefix prefixed word words phrase letter letters character characters name names named called titled "
    "mark marked marking flag flagged flagging dot hyphen dash underscore hidden "
    "set give given go goes going get gets got make makes made put take takes taken come comes coming anywhere "
    "nowhere elsewhere else sure list listed want wants people everybody everyone anybody anyone nobody somebody "
    "apiece pop tops "
    "limit limits limited restricted capped subfolder subfolders subdirectory subdirectories recursively "
    "euro euros dollar dollars pound pounds eur usd gbp chf percent rule policy tool tools agent assistant"
)
_FOLDERS = word_set("inbox outbox trash spam junk drafts")
_IN_FOLDERS = word_set("directory mailbox label category")
_IDS = word_set("id ids name names number key")
_CHANGES = word_set("change modify alter")
_PASSING_ON = word_set("share send email post export")
_PAYING = word_set("pay send transfer wire spend")
_REPLYING = word_set("reply respond")
_RESOURCES = {
    PATH_ROLES: word_set("file directory document path place location folder disk content data anywhere"),
    URL_ROLES: word_set("page host domain server place internet online browser browse surf remote address subdomain"),
    frozenset({"email-address"}): PEOPLE | word_set("email address anyone someone outsider domain company"),
}


def unexplained(tokens: Sequence[Token], parts: Iterable[tuple[Mood, bool, ToolPart]], toolbox: Toolbox) -> str:
    """Return the word that the tools of a reading do not explain. "" if they explain all.

    Every tool has to explain every word of a sentence with one verb and one object; of a longer one, some tool has to.
    """
    known = {one.key: one for one in toolbox.tools}
    found: dict[KnownTool, set[str]] = {}
    for _, _, part in parts:
        one = known.get((part.server, part.tool))
        if one is not None and not one.code:
            found.setdefault(one, set()).update(_tested_words(one, part))
    words = dict.fromkeys(_content_words(tokens, toolbox))
    lost = {
        one: [word for word in words if not (_explains(one, tested, word) or _is_mail(one, word, toolbox))]
        for one, tested in found.items()
    }
    for one, missing in lost.items() if _is_simple(tokens, toolbox) else ():
        if missing and not one.verbs <= _REPLYING:  # a reply has no recipients of its own
            return f"{missing[0]!r} is no word of {one.tool.name}"
    everywhere = [word for word in words if found and all(word in missing for missing in lost.values())]
    return f"no tool that is meant says {everywhere[0]!r}" if everywhere else ""


def _is_mail(one: KnownTool, word: str, toolbox: Toolbox) -> bool:
    """Return whether a word is "email" or "mail", and the tool's messages are e-mails."""
    return singular(word) in {"email", "mail", "e-mail"} and toolbox.is_mail(one)


def unsaid_words(tokens: Sequence[Token], toolbox: Toolbox) -> list[str]:
    """Return the words of a sentence that no tool at hand explains, in order."""
    words = dict.fromkeys(_content_words(tokens, toolbox))
    return [word for word in words if not any(_explains(one, set(), word) for one in toolbox.tools)]


@cache
def _said_by_idioms() -> frozenset[str]:
    patterns = [one.pattern for one in idioms.ALL]
    texts = [*patterns, *stances.phrases(), *(text for _, found in paraphrases.PATTERNS for text in found)]
    return frozenset(word for text in texts for word in re.findall("[a-z]{2,}", text))


def _content_words(tokens: Sequence[Token], toolbox: Toolbox) -> Iterator[str]:
    """Yield the words that say what is meant: no names, and no argument of which any value is meant."""
    of_stances = covered(tokens)
    said = (_said_by_idioms() | written_times.WORDS | {"http", "https"}) - toolbox.words.objects
    known = SMALL_WORDS | rates.NUMBER_WORDS | lexicon.ENVIRONMENTS | said
    for at, one in enumerate(tokens):
        capital = one.raw[:1].isupper() and at > 0
        plain = not one.quoted and not capital and _WORD.fullmatch(one.text) is not None
        free = at > 0 and tokens[at - 1].text in _ANY and singular(one.text) in toolbox.words.given
        if plain and not free and at not in of_stances and not known.issuperset(one.text.split("-")):
            yield one.text


def _is_simple(tokens: Sequence[Token], toolbox: Toolbox) -> bool:
    """Return whether a sentence has one verb and one object, as far as one can see."""
    words = [one.text for one in tokens if not one.quoted]
    verbs = {base for word in words for base in forms_of(word) if base in toolbox.verbs}
    joints = [at for at, one in enumerate(tokens) if not one.quoted and one.text in _JOINING]
    return len(verbs) <= 1 and all(at + 1 < len(tokens) and tokens[at + 1].text in _BEFORE_TIMES for at in joints)


def forms_of(word: str) -> set[str]:
    """Return a word, its singular, and the verbs that it may be a form of."""
    noun = singular(word)
    found = {word, noun, *bases_of(word, form="ing"), *bases_of(word, form="ed"), *bases_of(word, form="s")}
    return found | {each for each in (lexicon.NOMINAL.get(noun), lexicon.ACTIONS.get(noun)) if each}


def _tested_words(one: KnownTool, part: ToolPart) -> set[str]:
    found = words_of_tests(one, part)
    for limit in (*part.where, *part.unless):
        args = (
            [limit.arg] if limit.arg else [arg for arg, spec in one.tool.args.items() if limit.role in spec.all_roles]
        )
        args += [one for one in (limit.sum, limit.same) if one]
        for arg in args:
            found |= {singular(word) for noun in nouns_of_argument(one, arg) for word in noun.split()}
            found |= {singular(word) for text in (arg, one.described(arg)) for word in split_name(text)}
        for value in limit.values:
            found |= {singular(word) for word in split_name(str(value))} | {str(value).lower()}
        found |= ({limit.role} if limit.role else set()) | words_of_state(limit)
        moves = limit.is_written_time and not one.verbs.isdisjoint(CHANGING_TIMES)
        found |= written_times.PLANNING if moves else set()  # what is booked gets another time
    return found


def _explains(one: KnownTool, tested: set[str], word: str) -> bool:
    word = "label" if word.startswith(("unlabel", "relabel")) else word
    forms = forms_of(word)
    chosen = {singular(split_name(arg)[0]) for arg in one.tool.args if split_name(arg)[-1] in _IDS}
    if not forms.isdisjoint(_CHANGES) and not one.reads and one.verbs.isdisjoint(_PASSING_ON):
        return True
    if one.spends and not forms.isdisjoint(lexicon.MONEY | _PAYING):
        return True
    said = (
        chosen
        | one.counted.keys()
        | one.told_words
        | one.vocabulary
        | set(one.words)
        | set(split_name(one.tool.server))
    )
    if word not in tested and _is_of_argument(one, word):
        return False
    if not forms.isdisjoint(said | one.verbs | one.done | tested):
        return True
    replies = not forms.isdisjoint(_REPLYING) and one.head == "comment"
    if replies or ("commit" in forms and one.commits):
        return True
    if ("message" in forms and one.head == "email") or shows_talks(one, forms):
        return True
    if not forms.isdisjoint(lexicon.SAYING) and one.head == "message" and one.verbs & {"schedule", "add"}:
        return True
    if any(not forms.isdisjoint(words) for roles, words in _RESOURCES.items() if one.roles & roles):
        return True
    if _is_done(one, forms):
        return True
    acts = {lexicon.NOMINAL.get(noun) or lexicon.ACTIONS.get(noun) or "" for noun in said}
    stem = word[: max(4, len(word) - 3)]
    return bool(forms & acts) or any(each.startswith(stem) for each in said | tested)


def _is_of_argument(one: KnownTool, word: str) -> bool:
    """Return whether a word is a value that an argument takes, such as a folder, and no word of the tool itself."""
    shown = {text.lower() for texts in (*one.examples.values(), *one.listed.values()) for text in texts}
    shown |= _FOLDERS if one.argument_words & _IN_FOLDERS else set[str]()
    return word in shown and word not in one.told_words | set(one.words)


def _is_done(one: KnownTool, forms: set[str]) -> bool:
    """Return whether a tool does what a verb means, as far as its verbs and paths show."""
    if "move" in forms and can_move(one, "perhaps"):
        return True
    known = [lexicon.VERBS[verb] for verb in lexicon.VERBS if verb.partition(" ")[0] in forms]
    own = one.verbs | one.done | {one.told_verb}
    return any(own & (verb.surely | verb.perhaps) or verb.light or (verb.deeds and one.paths) for verb in known)
