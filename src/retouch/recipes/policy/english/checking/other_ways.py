"""Refuses a restriction that another tool of the server can get round: by its noun, by a flag, by a time, by its id.

The readers look for the tools that a sentence names. This looks at the tools that are left, once a sentence is read:
"Customers must not be changed" is about `merge_customers`, and "never share files" about `set_link_sharing`.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.checking.free_forms import with_free_forms
from retouch.recipes.policy.english.checking.holders import with_what_holds
from retouch.recipes.policy.english.checking.ids_of_names import with_ids
from retouch.recipes.policy.english.checking.inner_arguments import with_inner_arguments
from retouch.recipes.policy.english.checking.kept_things import with_kept_things
from retouch.recipes.policy.english.checking.left_open import with_left_open
from retouch.recipes.policy.english.checking.like_tools import with_like_tools
from retouch.recipes.policy.english.checking.misplaced import misplaced
from retouch.recipes.policy.english.checking.permitting_more import permits_more
from retouch.recipes.policy.english.checking.restriction import Restriction
from retouch.recipes.policy.english.checking.said_words import said_in
from retouch.recipes.policy.english.checking.same_places import Reached, with_same_places
from retouch.recipes.policy.english.checking.shown_elsewhere import with_shown_elsewhere
from retouch.recipes.policy.english.checking.unreached import unreached, with_holders
from retouch.recipes.policy.english.tools.known_tools import is_id, split_name
from retouch.recipes.policy.english.tools.other_nouns import kind_argument
from retouch.recipes.policy.english.tools.timed_arguments import timed_arguments
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.lexicon import bases_of, singular, word_set
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.english.words.sentences import Meaning
from retouch.recipes.policy.english.words.tokens import tokens_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from retouch.recipes.policy.english.checking.said_words import Said
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_ALTER = r"(?:chang|modif|edit|updat|alter|adjust)(?:e|es|ed|ing|y|ies|ied)?"
_ONES = r"(?:(?:the|a|an|any|all|my|our|your|existing|current|present|other|of|these|those) )*"
_END = r"(?= \d| #| in | on | without | unless |,|\.|;|$)"
_CHANGE = r"(?:chang|modif|alter)(?:e|es|ed|ing|y|ies|ied)?"
_CHANGED = (
    re.compile(
        rf"(?:never|don't|do not|not|ask (?:me )?before(?: you)?) {_CHANGE} {_ONES}(?P<n>[a-z]+(?: [a-z]+)?){_END}"
    ),
    re.compile(
        rf"^{_ONES}(?P<n>[a-z]+(?: [a-z]+)?) (?:must|may|can|should|shall|will|are|is)(?:n't| not| never)(?: ever)? "
        rf"(?:to )?(?:be )?(?:{_CHANGE})\b"
    ),
    re.compile(r"^(?P<n>[a-z]+(?: [a-z]+)?) (?:are|is) read[- ]only"),
)
_WHOLLY = (
    re.compile(
        rf"^{_ONES}(?P<n>[a-z]+(?: [a-z]+)?)(?: of [a-z ]+?)? (?:are|is|stay|remain) (?:off[- ]limits|taboo|untouched)"
    ),
    re.compile(rf"\bleave {_ONES}(?P<n>[a-z]+(?: [a-z]+)?)(?: of [a-z ]+?)? (?:alone|untouched)"),
    re.compile(rf"(?:never|don't|do not|not) touch {_ONES}(?P<n>[a-z]+(?: [a-z]+)?){_END}"),
    re.compile(rf"(?:hands off|keep away from|stay away from) {_ONES}(?P<n>[a-z]+(?: [a-z]+)?){_END}"),
)
_DELETED = word_set("delete remove uninstall")
_NO_CHANGE = word_set(
    "create add make new delete remove send export print copy download share notify email comment reply attach upload "
    "pin star follow like forward remind order buy run place open"
)
_MAKES = word_set("create add make new open send post book schedule upload place submit order")
_SHARED = re.compile(r"\bshar(?:e|es|ed|ing)\b")
_SHARING = word_set("share sharing public link visibility access permission published anyone everyone")
_OWNING = re.compile(r"\bowner(?:ship)?\b")
_GUESTS = word_set("attendee guest participant invitee member")
_INVITES = word_set("invite uninvite disinvite add remove kick")
_PRONOUNS = word_set("anyone anybody everyone everybody someone somebody nobody")
_PLAIN_MOVES = re.compile(
    r"\b(?:mov|reschedul|postpon|shift|delay)(?:e|es|ed|ing|s)?\b(?!.* (?:to|into|from|out of|in|under) )"
)
_MONEY = re.compile(
    r"\b(?:mov|transfer|send|wir)(?:e|es|red|ed|ing|s|ring)? (?:any |my |our |the )?(?:money|funds|cash)\b"
)
_PAID = word_set("pay send transfer wire withdraw create make schedule")
_WRITING_TO = re.compile(r"\b(?:send|write|email|message|mail|reply|emails?|messages?|mails?|sending|writing)\b")
_ANSWERS = word_set("send reply respond forward schedule")
_LETTERS = word_set("email message mail draft reply thread conversation")
_PLANNED = word_set("event meeting appointment booking reservation table call visit")
_ON_A_DAY = re.compile(r"\b(?:on (?:a|any|one|the same)(?: single)?|per|a|each|every) day\b")
_MADE_A_DAY = re.compile(
    r"\b(?:creat(?:e|es|ing|ed)|mak(?:e|es|ing)|add(?:s|ing|ed)?|enter(?:s|ing|ed)?)\b"
    r"(?!.*\b(?:on|in|for|of) (?:a|any|one|the same|each|every)\b)"
)
_EACH = re.compile(
    r"^(?:no (?!more|fewer|less)(?P<n>[a-z]+) .*|.*\b(?:nobody|no one|anyone|anybody)\b.*)"
    r"\b(?:more|oftener) (?:often )?than\b"
)
_RENAMED = re.compile(r"\brenam(?:e|es|ed|ing)\b")
_TITLES = word_set("name title subject label")
_WAYS = re.compile(r"\b(?:turn|switch)\w* (?:anything|everything|nothing) (?P<way>on|off)\b")
_ELSE = re.compile(
    r"\b(?:nothing (?:else|more|other)|(?:anything|everything) (?:else|other)|all else|(?:all )?the rest|"
    r"any other (?:action|thing|tool)s?|all other (?:actions|things|tools))\b(?! (?:in|to|from|on|at|into|than|of)\b)"
)
_BY_NOUN = {"loan": "lend", "sale": "sell", "gift": "give", "rental": "rent", "flight": "fly", "expense": "spend"}
_APPOINTING = re.compile(r"\b(?:mak|giv|appoint|grant)(?:e|es|ing)? (?:any|every|some)(?:one|body)\b")
_JOINING = word_set("add remove move assign")
_WRITES = re.compile(r"\b(?:send|write|email|message|reply|sending|writing|emailing|messaging)\b")
_MOVED = re.compile(r"\b(?:mov|reschedul|postpon|shift|chang|updat|edit)(?:e|es|ed|ing|s)?\b")
_CREATED = re.compile(r"\b(?:creat|mak|add)(?:e|es|ed|ing|s)?\b")
_SETTING = word_set("set change adjust update edit assign reassign move transfer add remove replace clear")
_GIVING = word_set("send share give grant pay transfer invite assign set update change add make forward write post")
_GETS = re.compile(r"^(?:nobody|no one|no-one)(?: \w+){0,3}? gets? ")
_HELD_BY_ID = re.compile(r"\bfolder\b.*\bread[- ]only\b|\bread[- ]only\b.*\bfolder\b")
_FROM_TEXT = re.compile(
    r"\bfrom (?:a |an? \w+ |plain |natural |free )?(?:text|sentence|phrase|description|language|prompt|string|words)"
)
_SCENES = re.compile(r"\b(?:many|several|multiple|groups? of) (?:devices|things|actions)\b")
# Something else is done to merge requests than to merge them.
_OTHER_THAN_MERGED = re.compile(
    r"^(?!.*\bmerg(?!e requests?\b)).*\b(?:clos|reopen|creat|open|approv|assign|label|list|review)(?:e|es|ing|ed|s)? "
    r"(?:(?:an?|any|the|my|our) )*merge requests?\b"
)
_SCALING = word_set("scale resize update edit set")
_SWITCHING = word_set("unlock lock open close turn switch arm disarm set")


def in_all_ways(meaning: Meaning, text: str, toolbox: Toolbox) -> Meaning:
    """Return a meaning with the tools that take the same place under another name.

    Raises:
        Unclear: another tool may do what is restricted.
    """
    low = " ".join(text.lower().replace("\u2019", "'").split()).rstrip(".!")
    tokens = tokens_of(text)
    said = said_in(tokens, toolbox, ())
    reached = Reached(text=low, verbs=said.verbs, acts=said.acts if said.is_done else frozenset(), nouns=said.forms)
    meaning = with_holders(with_same_places(meaning, reached, toolbox), said, toolbox)
    meaning = with_like_tools(meaning, said, toolbox.tools)
    meaning = with_kept_things(meaning, low, said, toolbox.tools)
    wide = with_inner_arguments(meaning, low, said, toolbox.tools)
    wide = with_free_forms(with_what_holds(wide, low, said, toolbox.tools), low, said, toolbox.tools)
    meaning = with_shown_elsewhere(_with_opened(meaning, wide, low, said, toolbox), low, said, toolbox.tools)
    meaning = with_ids(meaning, toolbox.tools)
    why = leaves_open(low, meaning, toolbox) or other_way(low, meaning, toolbox)
    why = why or unreached(low, said, meaning, toolbox) or permits_more(low, meaning, said, toolbox.tools)
    if why:
        raise Unclear(f"it is not sure that it is understood: {why}; say it in other words")
    return meaning


def _with_opened(meaning: Meaning, wide: Meaning, low: str, said: Said, toolbox: Toolbox) -> Meaning:
    """Return a wider meaning with what is left open by the tools that only the first one names."""
    own, added = ({(part.server, part.tool) for part in each.parts} for each in (meaning, wide))
    left = tuple(one for one in toolbox.tools if one.key not in added - own)
    opened = with_left_open(meaning, low, said, left)
    return Meaning(
        allow=wide.allow,
        ask=wide.ask | (opened.ask - meaning.ask),
        never=wide.never | (opened.never - meaning.never),
        excepted=wide.excepted | (opened.excepted - meaning.excepted),
    )


def other_way(low: str, meaning: Meaning, toolbox: Toolbox) -> str:
    """Return which tool may do what a read sentence restricts, although it is not restricted. "" if none."""
    whole = _Whole(text=low, meaning=meaning, tools=toolbox.tools)
    if found := whole.unsure():
        return found
    if _OTHER_THAN_MERGED.search(low) and (
        merging := next((one for one in whole.restricted if "merge" in one.verbs), None)
    ):
        return f"{merging.tool.name} merges, which it does not say"
    for one in whole.left:
        if any(rule(whole, one) for rule in _RULES):
            return f"{one.tool.name} may be meant as well"
    return ""


class _Whole(Restriction):
    """A sentence with the things that must not be changed, or that must be left alone."""

    @cached_property
    def changed(self) -> frozenset[str]:
        """The things that must not be changed."""
        return _nouns(_CHANGED, self.text)

    @cached_property
    def untouched(self) -> frozenset[str]:
        """The things that must be left alone."""
        return _nouns(_WHOLLY, self.text)

    @property
    def counts(self) -> bool:
        """True if a limit counts calls of all kinds together."""
        return any(limit.count and not limit.same for limit in self.limits)

    def unsure(self) -> str:
        """Return why the restriction itself may not be what is said. "" if nothing speaks against it."""
        if not self.restricted:
            return ""
        if _GETS.search(self.text) and not all((one.verbs | one.done) & _GIVING for one in self.restricted):
            return "who gets something may be given it, or read it; say what must not be done"
        if not self.meaning.allow and self.counts and _EACH.search(self.text):
            return "it may be about each of them, or about all together; write 'for each'"
        planned = _ON_A_DAY.search(self.text) and not _MADE_A_DAY.search(self.text)
        if self.counts and planned and any(map(self._is_planned, self.restricted)):
            return "it may be the day of the call, or the day that is planned"
        written = any(limit.arg and (limit.hours or limit.days) for limit in self.limits)
        if written and any(map(_takes_any_time, self.restricted)):
            return "a text may say any time"
        values = {str(value).lower() for limit in self.limits for value in limit.among}
        if values & _PRONOUNS and _APPOINTING.search(self.text):
            return "'anyone' may be a person, or a value"
        return self._flagged() or misplaced(self)

    def _is_planned(self, one: KnownTool) -> bool:
        return one.head in _PLANNED and bool(timed_arguments(one))

    def _flagged(self) -> str:
        """Return a restricted tool that makes something public by a flag, beside what is tested."""
        if not _SHARED.search(self.text):
            return ""
        for one in self.restricted:
            parts = [part for part in self.strict if (part.server, part.tool) == one.key]
            flags = {arg for arg in one.tool.args if {singular(word) for word in split_name(arg)} & {"public", "link"}}
            tested = {limit.arg for part in parts for limit in (*part.where, *part.unless)}
            if flags - tested and all(part.where for part in parts):
                return f"{one.tool.name} may share it in another way"
        return ""


def _nouns(patterns: tuple[re.Pattern[str], ...], text: str) -> frozenset[str]:
    found = [match["n"].split() for pattern in patterns for match in pattern.finditer(text)]
    return frozenset(singular(words[-1]) for words in found if not _is_deed(words[0]))


def _is_deed(word: str) -> bool:
    """Return whether a word says what is done: "exporting contacts" is about exports."""
    return any(base in lexicon.VERBS for base in bases_of(word, form="ing"))


def _is_of(one: KnownTool, nouns: frozenset[str]) -> bool:
    """Return whether a tool is about things: by its name, or as what an id of its arguments names."""
    named = set(one.core) & nouns
    ids = {singular(split_name(arg)[0]) for arg in one.required if is_id(arg)} & nouns
    return bool(named) or (bool(ids) and not one.core)


def _changes(whole: _Whole, one: KnownTool) -> bool:
    """Return whether things must not be changed, and a tool does: `resize_server`, `merge_customers`."""
    own = one.verbs | one.done
    if own <= _MAKES:
        return False
    listed = {singular(split_name(arg)[0]) for arg in one.tool.args if split_name(arg)[-1:] in (["id"], ["ids"])}
    joined = "to" in one.words and bool(listed & whole.changed) and bool(own & _JOINING)
    return joined or (_is_of(one, whole.changed) and (one.head in whole.changed or own.isdisjoint(_NO_CHANGE)))


def _touches(whole: _Whole, one: KnownTool) -> bool:
    """Return whether things must be left alone, and a tool does anything to them."""
    keys = {other.key for other in whole.restricted}
    named = all(part.where for part in whole.strict if (part.server, part.tool) in keys)
    if named and one.verbs <= _MAKES and one.head in whole.untouched:
        return False  # who makes another one does nothing to the one that is named
    if _is_of(one, whole.untouched) and not ("existing" in whole.text and one.verbs & _MAKES):
        return True
    own = {noun for noun in whole.untouched if f"of a {noun}" in one.tool.comment.lower()}
    return bool(own) and one.verbs.isdisjoint(_MAKES)


def _shares(whole: _Whole, one: KnownTool) -> bool:
    """Return whether things must not be shared, and a tool sets who can see them."""
    words = {*map(singular, one.words), *map(singular, re.findall("[a-z]+", one.tool.comment.lower()))}
    taken = one.verbs & word_set("remove revoke delete unshare")
    people = re.search(r"\bwith (?:people|persons)\b", whole.text)
    return _SHARED.search(whole.text) is not None and people is None and bool(words & _SHARING) and not taken


def _gives_ownership(whole: _Whole, one: KnownTool) -> bool:
    owner = any("owner" in values for values in one.listed.values())
    return owner and _OWNING.search(whole.text) is not None


def _invites(whole: _Whole, one: KnownTool) -> bool:
    """Return whether who takes part must not be changed, and a tool invites somebody."""
    nouns = {singular(word) for word in re.findall("[a-z]+", whole.text)}
    changes = re.search(rf"\b{_ALTER} (?:the |any |who )?(?:list of )?[a-z]*", whole.text) is not None
    return bool(nouns & _GUESTS) and changes and bool(one.verbs & _INVITES)


def _reschedules(whole: _Whole, one: KnownTool) -> bool:
    """Return whether things must not be moved to another time, and a change can give a new one."""
    heads = {other.head for other in whole.restricted}
    moved = _PLAIN_MOVES.search(whole.text) is not None and one.head in heads
    return moved and bool(timed_arguments(one)) and one.verbs.isdisjoint(_MAKES)


def _moves_money(whole: _Whole, one: KnownTool) -> bool:
    amounts = {"amount", "sum", "total"} & {word for arg in one.numbers for word in split_name(arg)}
    return _MONEY.search(whole.text) is not None and bool(amounts) and bool(one.verbs & _PAID)


def _answers(whole: _Whole, one: KnownTool) -> bool:
    """Return whether nobody, or only so many, may be written to, and a tool writes to people who are not named."""
    sized = any(limit.size == "items" and limit.bounds for limit in whole.limits)
    nobody = re.search(
        r"\b(?:nobody|no one|anyone|anybody)\b(?! (?:outside|else|except|but|other|at|in|from))", whole.text
    )
    if not (sized and _WRITING_TO.search(whole.text)) and not (nobody and _WRITES.search(whole.text)):
        return False
    written = any(other.head in _LETTERS for other in whole.restricted)
    return written and bool(one.verbs & _ANSWERS) and (one.head in _LETTERS or one.head is None)


def _is_named_so(whole: _Whole, one: KnownTool) -> bool:
    """Return whether a tool is named by the verb of a noun: `prescribe` for "prescriptions", `reorder` for "orders"."""
    words = one.words
    lent = _BY_NOUN.keys() & set(map(singular, re.findall("[a-z]+", whole.text)))
    if any(_BY_NOUN[noun] in one.verbs for noun in lent):
        return True
    if len(words) != 1:
        return False
    verb = words[0].removeprefix("re")
    nouns = {singular(word) for word in re.findall("[a-z]+", whole.text)} & {each.head for each in whole.restricted}
    return any(
        verb in {noun, lexicon.NOMINAL.get(noun), lexicon.ACTIONS.get(noun)}
        or (len(verb) > 5 and noun[: len(verb) - 2] == verb[:-2])
        for noun in nouns
        if noun
    )


def _changes_time(whole: _Whole, one: KnownTool) -> bool:
    """Return whether the time of what is planned is restricted, and another tool gives it a time, or takes any text."""
    tested = {limit.arg for limit in whole.limits if limit.arg and (limit.hours or limit.days)}
    if not tested or re.search(r"\bnew\b", whole.text):
        return False
    if (_MOVED if one.verbs & _MAKES else _CREATED).search(whole.text):
        return False
    names = {arg.name for arg in timed_arguments(one)}
    return bool(names & tested) or _takes_any_time(one)


def _takes_any_time(one: KnownTool) -> bool:
    return _FROM_TEXT.search(one.tool.comment.lower()) is not None


def _sets_number(whole: _Whole, one: KnownTool) -> bool:
    """Return whether a number is limited, and another tool sets it, too: `patch_deployment(replicas)`.

    A patch of any fields may set it as well.
    """
    tested = {limit.arg for limit in whole.limits if limit.arg and limit.bounds and not limit.size}
    heads = {other.head for other in whole.restricted}
    own = {*map(singular, re.findall("[a-z]+", whole.text))}
    named = {arg for arg in tested if set(map(singular, split_name(arg))) & own}
    if tested and "patch" in one.verbs | set(one.core) and one.has_free_fields:
        return any(other.tool.server == one.tool.server and other.verbs & _SCALING for other in whole.restricted)
    return (
        one.head in heads
        and bool(named & {*one.numbers})
        and bool(one.verbs & word_set("update patch edit set modify"))
    )


def _renames(whole: _Whole, one: KnownTool) -> bool:
    """Return whether things must not be renamed, and a change can give them another name."""
    heads = {other.head for other in whole.restricted if "rename" in other.verbs} or {
        singular(word) for word in re.findall("[a-z]+", whole.text)
    }
    named = any(arg.lower().removeprefix("new_") in _TITLES for arg in one.tool.args)
    return _RENAMED.search(whole.text) is not None and one.head in heads and named and one.verbs.isdisjoint(_MAKES)


def _changes_attribute(whole: _Whole, one: KnownTool) -> bool:
    """Return whether an attribute must not be changed, and a tool is for that: `adjust_inventory` for the stock."""
    given = {
        limit.arg for limit in whole.limits if limit.state == "present" or limit.like == ("*",) or limit.at_least == 0
    }
    nouns = {singular(split_name(arg)[-1]) for arg in given if arg and split_name(arg)}
    nouns &= {singular(word) for word in re.findall("[a-z]+", whole.text)}
    if not nouns or (one.verbs.isdisjoint(_SETTING) and one.done.isdisjoint(_SETTING)):
        return False
    told = one.tool.comment.lower()
    return any(noun in one.core or re.search(rf"^[a-z]+ the {noun}s? of\b", told) for noun in nouns)


def _switches(whole: _Whole, one: KnownTool) -> bool:
    found = _WAYS.search(whole.text)
    return found is not None and any(found["way"] in values for values in one.listed.values())


def _runs_scenes(whole: _Whole, one: KnownTool) -> bool:
    """Return whether a tool sets many devices at once, of which one must not be switched."""
    acted = any(other.verbs & _SWITCHING for other in whole.restricted)
    return acted and _SCENES.search(one.tool.comment.lower()) is not None


def _changes_contents(whole: _Whole, one: KnownTool) -> bool:
    """Return whether a folder is read-only, and a tool changes what may be in it by its id."""
    by_id = bool(one.required) and any(map(is_id, one.required))
    return _HELD_BY_ID.search(whole.text) is not None and by_id and one.verbs.isdisjoint(_MAKES)


def _writes_to(whole: _Whole, one: KnownTool) -> bool:
    """Return whether it is "to bob", which is tested as a channel, and a tool sends to a person."""
    tested = {str(value) for limit in whole.limits if limit.arg for value in limit.among}
    named = any(re.search(rf"\bto {re.escape(value.lower())}$", whole.text) for value in tested if value)
    people = {"user", "username", "recipient", "person", "member", "to"}
    named = named and _WRITING_TO.search(whole.text) is not None
    return named and bool(one.verbs & _ANSWERS) and any(set(split_name(arg)) & people for arg in one.required)


def _takes_whole(whole: _Whole, one: KnownTool) -> bool:
    """Return whether resources of a kind or place must not be changed, and a tool takes the whole text of any one."""
    heads = {other.head for other in whole.tools if kind_argument(other)}
    chosen = any(limit.arg in {"kind", "namespace"} for limit in whole.limits)
    changing = any(not other.reads and other.verbs.isdisjoint(_DELETED) for other in whole.restricted)
    return chosen and changing and one.head in heads and not {"kind", "namespace"} & one.tool.args.keys()


_RULES: tuple[Callable[[_Whole, KnownTool], bool], ...] = (
    _changes,
    _touches,
    _shares,
    _gives_ownership,
    _invites,
    _reschedules,
    _moves_money,
    _answers,
    _is_named_so,
    _changes_time,
    _sets_number,
    _renames,
    _changes_attribute,
    _switches,
    _runs_scenes,
    _changes_contents,
    _writes_to,
    _takes_whole,
)


def leaves_open(text: str, meaning: Meaning, toolbox: Toolbox) -> str:
    """Return which tool "nothing else" after a permission leaves open. "" if none."""
    low = text.lower()
    if not meaning.allow or _ELSE.search(low) is None:
        return ""
    servers = {part.server for part in meaning.allow}
    keys = {(part.server, part.tool) for part in meaning.parts}
    keys |= {(one.name, name) for one in toolbox.frame.servers.values() for name in one.introspection}
    left: Iterator[str] = (one.tool.name for one in toolbox.tools if one.tool.server in servers and one.key not in keys)
    return next((f"{name} may be meant by what is said of all others" for name in left), "")
