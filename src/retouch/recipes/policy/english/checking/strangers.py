"""Finds tools of a reading that its sentence is not about, or not like that.

A tool is a stranger if it does the opposite of what is said, if an argument chooses what a call of it does and is not
tested, or if the tested argument is not what the sentence speaks of: another total, the value before a change, an id.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.checking.agreeing import CONTAINERS
from retouch.recipes.policy.english.checking.said_words import CHANGING
from retouch.recipes.policy.english.limits.argument_tests import chosen_verb
from retouch.recipes.policy.english.limits.marking import retimed
from retouch.recipes.policy.english.tools.act_facts import is_scheduled
from retouch.recipes.policy.english.tools.described_things import is_named_by_description
from retouch.recipes.policy.english.tools.known_tools import ID_OR_NAME, split_name
from retouch.recipes.policy.english.tools.label_arguments import is_state_label
from retouch.recipes.policy.english.tools.toolbox import MOVED_BY
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.lexicon import bases_of, singular, word_set

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.policy.english.checking.said_words import Said
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.words.sentences import Mood, ToolPart
    from retouch.recipes.policy.language.values import Limit

_PAIRS = word_set(
    "enable/disable lock/unlock arm/disarm open/close mute/unmute freeze/unfreeze subscribe/unsubscribe add/remove "
    "follow/unfollow block/unblock increase/decrease raise/lower pin/unpin activate/deactivate approve/reject "
    "accept/decline start/stop enter/leave publish/unpublish assign/revoke assign/unassign grant/revoke buy/sell "
    "lend/return borrow/return deposit/withdraw hire/fire import/export upload/download"
)
_OPPOSITES = tuple(tuple(pair.split("/")) for pair in sorted(_PAIRS))
_ON = word_set("enable enabled activate activated on")
_OFF = word_set("disable disabled deactivate deactivated off")
_ACTIONS = word_set("action command operation op")  # which of them a call does is up to such an argument
_NO_TOTALS = word_set("tip fee discount bonus deposit")
_TAKING = word_set("charge invoice refund bill withdraw")
_SIGNED = word_set("delta change difference adjustment")
_CHANGES_TOO = word_set("reschedule overwrite correct write save insert append relabel")
_ASSIGNING = CHANGING | word_set("upgrade assign reassign move transfer escalate")  # what has such a value before
_OUT_OF = word_set("delete erase destroy create make archive")  # is done to a thing, and not to what is in it
_EXPORTING = word_set("export download")
_FIELDS = word_set("field attribute property section column part")  # their values say what is changed
_SOURCES = word_set("from source src origin old current")
_CHANNELS = word_set("channel method medium via")
_REACHING = word_set("call phone text email message")
_LABELLED = re.compile(
    r"\blabels?\b.* (?:on|to|onto|from|off) (?:(?:an?|any|the|my|our|all) )*(?:e-?mails?|messages?|mails?|threads?)\b"
)
_OF_DIRECTORIES = re.compile(
    r"\b(?:delete|remove|create|make|trash|rename)\w* (?:any |my |the |new |old |empty )*\w*folders\b"
)
_ONLY_ID = re.compile(r"^(?!.*(?:['\"`(#]|\bnames?\b|\be\.g\.|\bexample|\bsuch as|\bor\b)).*\bids?\b", re.DOTALL)
_WORDS = re.compile(r"#?[a-z]+(?:[-_ ][a-z]+)*")
_ACCESS = ("read reader view viewer", "comment commenter", "write writer edit editor", "manage manager", "admin owner")
_EXCEPTING = word_set("but except not other unless")
_PASSIVE = word_set("be been being is are was were get gets got may can and or , to")
_LEVELS = {word: level for level, words in enumerate(_ACCESS) for word in words.split()}  # each gives those before, too
_OF_ACCESS = word_set("access permission right")
_NEW = word_set("create make add new")
_REPLACING = CHANGING | word_set("overwrite overwrites replace replaces existing")
_PIECES = word_set("copy copies quantity qty pieces units count")
MAKES_FROM = word_set("create make add generate new start build")


def stranger(said: Said, one: KnownTool, part: ToolPart, mood: Mood) -> str:
    """Return why a tool may not be meant, or not like that. "" if nothing speaks against it."""
    if _is_opposite(said, one, part) or _is_open(said, one, part):
        return "may do the opposite"
    wrong = _wrong_test(said, one, part, mood) or _wrong_object(said, one, part, mood)
    return wrong or (_permits_more(said, one, part) if mood == "allow" else "")


def _wrong_test(said: Said, one: KnownTool, part: ToolPart, mood: Mood) -> str:
    """Return why what a tool is tested for is not what a sentence speaks of. "" if nothing speaks against it."""
    words = {word for limit in part.where if limit.bounds for word in split_name(limit.arg or "")}
    states = [limit for limit in part.where if _FIELDS.isdisjoint(split_name(limit.arg or ""))]
    listed = [value for limit in states for value in limit.among if value in one.listed.get(limit.arg or "", ())]
    own = one.verbs | one.done
    pairs = [(a, b) for a in part.where for b in part.unless if a.arg == b.arg and a.among and b.among]
    if any(set(a.among).isdisjoint(b.among) for a, b in pairs):
        return "is tested for two values of one argument"
    if "spend" in said.verbs and (words & _NO_TOTALS or not one.spends or own <= _TAKING):
        return "does not show what is spent"
    if mood != "allow" and words & _SIGNED and one.head != "change":
        return "may take negative numbers"
    limits, is_named = (*part.where, *part.unless), bool({"named", "called"} & set(said.words))
    if any(_is_word_for_id(one, limit) for limit in limits):
        return "takes an id, and no name"
    narrowing = limits if mood == "allow" else part.unless  # a name in place of the id is denied then
    unnamed = [limit for limit in limits if not (limit in narrowing and _takes_either(one, limit))]
    if is_named and any(_is_named_id(one, limit) for limit in unnamed):
        return "takes an id, and no name"
    if own & _ASSIGNING and any(said.is_state(str(value).lower()) for value in listed):
        return "has the new value, and not the one before"
    amounts = {limit.sum or limit.arg or "": bool(limit.sum) for limit in part.where if limit.bounds}
    if any(_is_of_one_piece(said, one, arg, added=added) for arg, added in amounts.items()):
        return "takes several pieces at this price"
    text = " ".join(said.words)
    if any(_is_elsewhere(said, text, limit) for limit in part.where):
        return "has an argument for something else than that"
    pieces = any(not _PIECES.isdisjoint(split_name(arg)) for arg in one.numbers)
    return "takes several of each" if pieces and any(limit.size for limit in part.where) else ""


def _is_named_id(one: KnownTool, limit: Limit) -> bool:
    """Return whether a name is given to an argument for ids, and may be none.

    Only where a description shows that ids are words, as in "'primary' for the main calendar", `team-planning` is one,
    and any name where it says "Name or ID".
    """
    if ID_OR_NAME.search(one.described(limit.arg or "")) is not None:
        return False
    values = (*limit.among, *limit.like)
    slugs = all(re.fullmatch(r"[a-z]+(?:[-_][a-z0-9]+)+", str(value)) for value in values)
    words = re.search(r"['\"`][a-z]+(?:[-_][a-z]+)*['\"`]", one.described(limit.arg or "")) is not None
    return (limit.arg or "").lower().endswith("id") and not (slugs and words)


def _takes_either(one: KnownTool, limit: Limit) -> bool:
    """Return whether an argument takes names as well: "Name or ID of the calendar"."""
    return ID_OR_NAME.search(one.described(limit.arg or "")) is not None


def _is_word_for_id(one: KnownTool, limit: Limit) -> bool:
    """Return whether words are given to an argument that is described as an id, and in no other way: `#general`."""
    arg, told = limit.arg or "", one.described(limit.arg or "").lower()
    if split_name(arg)[-1:] not in (["id"], ["ids"]) or arg in one.listed or _ONLY_ID.search(told) is None:
        return False
    return any(isinstance(value, str) and _WORDS.fullmatch(value) for value in limit.among)


def _is_elsewhere(said: Said, text: str, limit: Limit) -> bool:
    """Return whether a value is of something else than the tested argument.

    "Move photos from Inbox" is not about the album they are moved to, nor "assign trainers to Bob" about the trainer.
    """
    words = split_name(limit.arg or "")
    for value in (re.escape(str(one).lower()) for one in limit.among if isinstance(one, str)):
        left = re.search(rf"\b(?:from|out of)(?: the)?(?: [a-z]+)? {value}\b", text) is not None
        if left and "move" in said.verbs and _SOURCES.isdisjoint(words):
            return True
        if words and re.search(rf"\b{re.escape(words[0])}s? (?:to|for|with)(?: the)? {value}\b", text):
            return True
    return False


def _is_of_one_piece(said: Said, one: KnownTool, arg: str, *, added: bool) -> bool:
    """Return whether an amount is the price of one of several pieces, and the sentence does not say so.

    `added`: prices are added up, whatever the numbers of pieces.
    """
    told = f"{' '.join(split_name(arg))} {one.described(arg)}".lower()
    priced = re.search(r"\b(?:unit|single|each|one|per (?:copy|piece|unit|item|ticket|person))\b", told) is not None
    several = any(not _PIECES.isdisjoint(split_name(other)) for other in one.numbers if other != arg)
    said_so = re.search(
        r"\b(?:apiece|(?:single|unit|per|for each) (?:cop|piece|unit|item|pric|ticket|person))", " ".join(said.words)
    )
    return priced and several and (added or said_so is None)


def _shows_or_changes_more(said: Said, one: KnownTool, part: ToolPart) -> str:
    """Return why a tool changes or shows something else than a permission says. "" if nothing speaks against it."""
    if not part.where and any(retimed(one, verb) for verb in said.verbs):
        return "changes other things too"
    return f"is about {one.head}s of it" if one.reads and _is_kind_of_other(said, one, part) else ""


def _is_kind_of_other(said: Said, one: KnownTool, part: ToolPart) -> bool:
    """Return whether a value is the kind of something else than a tool shows: pods for the logs of a resource."""
    for limit in part.where:
        words = split_name(limit.arg or "")
        if limit.among and limit.arg in one.listed and words[-1:] in (["type"], ["kind"]) and words[:-1]:
            return one.head is not None and one.head not in said.forms and singular(words[-2]) != one.head
    return False


def _wrong_kind(said: Said, one: KnownTool, mood: Mood) -> str:
    """Return why a tool is about files although folders are meant, or about labels themselves. "" if it is not."""
    files = one.head == "file" and "file" not in said.forms and "directory" in said.forms
    if mood == "allow" and files and said.verbs & {"create", "make", "delete"}:
        return "is about files"
    if mood != "allow" and files and _OF_DIRECTORIES.search(" ".join(said.words)):
        return "is about files as well"
    labelled = one.head == "label" and _LABELLED.search(" ".join(said.words))
    return "makes or deletes labels" if labelled else ""  # "put labels on messages"


def _wrong_object(said: Said, one: KnownTool, part: ToolPart, mood: Mood) -> str:
    """Return why a tool acts on other things than a sentence says. "" if nothing speaks against it."""
    special = bool(said.acts) and said.verbs.isdisjoint(_CHANGES_TOO | CHANGING)
    if special and one.verbs | one.done <= CHANGING and not part.where and not part.unless and _has_more(one):
        return "changes other things too"
    if mood == "allow" and (why := _shows_or_changes_more(said, one, part)):
        return why
    if why := _wrong_kind(said, one, mood):
        return why
    if said.verbs & _OUT_OF and one.words[1:2] == ["from"] and not _tells_of(said, one):
        return "takes something out of it"
    tested = {limit.arg for limit in part.where if not limit.state}
    given = [limit.arg or "" for limit in (*part.where, *part.unless) if limit.state and limit.arg not in tested]
    values = [str(value) for limit in part.where for value in limit.among]
    texts = [*(each or "" for each in tested), *given, *map(one.described, given), *values]
    named = {singular(word) for text in texts for word in split_name(text)}  # "anything with an attachment"
    named |= {"email", "message", "label"} if any(map(is_state_label, part.where)) or said.is_labelling else set()
    if given and not part.unless and said.objects - named and one.head not in said.forms:
        return "is about something else"
    edits = bool(said.verbs & CHANGING) and one.verbs <= _EXPORTING and any(limit.like for limit in part.where)
    if edits:
        return "changes nothing"
    if mood != "allow" and not _OF_ACCESS.isdisjoint(said.forms) and _gives_more(one, part):
        return "has a value that gives more access than the one that is tested"
    text = " ".join(said.words)
    done = re.search(rf"\b{re.escape(one.head or '')}(?:ing)? (?:on|to)\b", text) is not None  # "comment on issues"
    changes = not done and mood == "allow" and said.verbs & (CHANGING | {"overwrite"}) and said.verbs.isdisjoint(_NEW)
    if changes and one.verbs <= _NEW and one.described_words.isdisjoint(_REPLACING):
        return "makes something new"
    joins = said.joins and "to" in said.words and one.verbs <= {"create", "insert", "make"}
    return "makes something new" if joins else ""


def _permits_more(said: Said, one: KnownTool, part: ToolPart) -> str:
    """Return why a permission for a tool may be wider than its sentence. "" if nothing speaks against it."""
    kind = _untested_kind(said, one, part)
    if kind:
        return f"does so to other things than {kind!r}, too"
    return "does what is only said of the things" if _is_of_done_things(said, one) else ""


def _untested_kind(said: Said, one: KnownTool, part: ToolPart) -> str:
    """Return the kind of things that a sentence names, if every call chooses one and it is not tested. "" otherwise.

    "Scale deployments" is about `kubectl_scale(resourceType)` with one of its values. An exception names what is not.
    """
    if not _EXCEPTING.isdisjoint(said.words):
        return ""
    tested = {limit.arg for limit in (*part.where, *part.unless)}
    own = {*one.nouns, *one.verbs, *one.done, *one.server_words}
    for arg in one.required - tested:
        kinds = {value.lower() for value in one.listed.get(arg, ())} & said.forms
        if split_name(arg)[-1] in {"type", "kind", "types", "kinds"} and kinds - own:
            return min(kinds - own)
    return ""


def _is_of_done_things(said: Said, one: KnownTool) -> bool:
    """Return whether the verb of a tool is only said of its things, as in "read sent emails" for `send_email`."""
    words = ("", *said.words)
    for before, word, after in zip(words, words[1:], words[2:], strict=False):
        bases = {base for base in bases_of(word, form="ed") if base != word}
        done = bool(bases & one.verbs) and singular(after) in {one.head, *one.vocabulary} and before not in _PASSIVE
        others = {form for base in bases for form in (base, f"{base.removesuffix('e')}ing")}
        if done and others.isdisjoint(said.words):
            return True
    return False


def _gives_more(one: KnownTool, part: ToolPart) -> bool:
    """Return whether an argument has a value that gives all that a tested one gives: an owner may write, too."""
    for limit in part.where:
        levels = [_LEVELS[value] for value in map(str, limit.among) if value in _LEVELS]
        others = (_LEVELS.get(value, -1) for value in one.listed.get(limit.arg or "", ()) if value not in limit.among)
        if levels and any(level > min(levels) for level in others):
            return True
    return False


def _tells_of(said: Said, one: KnownTool) -> bool:
    """Return whether a sentence names what a tool takes out: the tracks of "Remove tracks from a playlist"."""
    return any(nouns[-1] in said.forms for nouns in one.told)


def _has_more(one: KnownTool) -> bool:
    """Return whether a tool can change more than times and places."""
    other = (arg for arg in one.tool.args if not is_scheduled(arg) and split_name(arg)[-1] not in {"id", "ids"})
    return any(MOVED_BY.isdisjoint(split_name(arg)) for arg in other)


def is_about_others(said: Said, one: KnownTool, part: ToolPart) -> bool:
    """Return whether a tool acts on other things than a sentence names: no places or people are tested."""
    if one.paths or part.where or part.unless or not CONTAINERS.get(one.head or "", frozenset()).isdisjoint(said.forms):
        return False
    if is_made_from(one) & said.forms:
        return False  # `create_filter_from_template` creates a filter
    if one.reads and one.told and one.told[0][-1] in said.forms:
        return False  # "Get messages from the channel" for `conversations_history`
    if said.verbs & CHANGING and one.verbs <= CHANGING and said.forms & {*one.nouns}:
        return False  # who updates the members of a group changes the group
    if is_named_by_description(one, said.verbs, said.forms):
        return False
    return one.head in said.things - said.forms or (one.head is None and not said.verbs & (one.verbs | one.done))


def is_made_from(one: KnownTool) -> frozenset[str]:
    """Return what a tool makes from something else by its name: `filter` for `create_filter_from_template`."""
    words = one.words
    at = words.index("from") if "from" in words[2:-1] else 0
    makes = at > 0 and words[0] in MAKES_FROM and words[at + 1 :] in (["template"], ["scratch"], ["preset"], ["model"])
    return frozenset({singular(words[at - 1])}) if makes else frozenset()


def _is_opposite(said: Said, one: KnownTool, part: ToolPart) -> bool:
    """Return whether a tool, or what it is tested for, is the opposite of what a sentence says."""
    tested = {str(value).lower() for limit in (*part.where, *part.unless) for value in limit.among}
    if said.ways:
        return not ways_of(one, part) <= said.ways
    for pair in _OPPOSITES:
        ways = {way for way in pair if way in said.forms}
        does = {way for way in pair if way in one.words}
        choices = {way for way in pair if re.search(rf"\b{way}\b", one.tool.comment.lower())}
        opposite = (len(does) == 1 and does != ways) or (len(choices) == 2 and not tested)
        if len(ways) == 1 and ways <= said.verbs and not tested & ways and opposite:
            return True
    return False


def _is_open(said: Said, one: KnownTool, part: ToolPart) -> bool:
    """Return whether an argument chooses what a call of a tool does, and is not tested: `update_membership(action)`."""
    tested = {limit.arg for limit in (*part.where, *part.unless)}
    either = [arg for arg, values in one.listed.items() if "off" in map(str.lower, values)]
    either += [arg for name, arg in one.flags.items() if name in {"on", "enabled", "power", "active"}]
    if said.ways:
        return bool(either) and not tested & {*either}
    done = {lexicon.DONE.get(verb, f"{verb.removesuffix('e')}ed") for verb in said.verbs}
    flags = {arg for name, arg in one.flags.items() if name in done | {word.removeprefix("un") for word in done}}
    actions = {arg for arg in one.listed if not _ACTIONS.isdisjoint(split_name(arg))}
    if said.verbs & _REACHING:
        actions |= {arg for arg in one.listed if not _CHANNELS.isdisjoint(split_name(arg))}
    acts = () if one.reads else said.acts  # a list of closed issues closes none
    chosen = {limit.arg for verb in acts if (limit := chosen_verb(one, verb)) is not None}
    chosen = {arg for arg in chosen if not _says_how(one, arg or "")}
    return bool(said.acts) and bool(open_ := flags | actions | chosen) and not tested & open_


def _says_how(one: KnownTool, arg: str) -> bool:
    """Return whether an argument says in which way a tool does what its name says: `merge_method` of merging."""
    words = split_name(arg)
    return len(words) == 2 and words[0] in one.verbs and words[1] in {"method", "strategy"}


def lacks_a_way(said: Said, pairs: Sequence[tuple[KnownTool, ToolPart]]) -> bool:
    """Return whether a sentence says "on and off", and its rules are only about one of them."""
    done = [ways_of(one, part) for one, part in pairs]
    return len(said.ways) == 2 and bool(done) and all(done) and len(set[str]().union(*done)) == 1


def ways_of(one: KnownTool, part: ToolPart) -> set[str]:
    """Return whether a tool, or what it is tested for, turns something on or off. Empty if neither is said."""
    tested = {str(value).lower() for limit in part.where for value in limit.among}
    named = set(one.words) | set(re.findall(r"[a-z]+", one.tool.comment.lower()))
    ways = {way for way, values in (("on", _ON | {"true"}), ("off", _OFF | {"false"})) if tested & values}
    told = {way for way, values in (("on", _ON), ("off", _OFF)) if named & values}
    return ways or (told if not tested else set[str]())
