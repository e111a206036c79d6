"""The tools at hand as words: which tools an action of an ordinary sentence means, certainly or possibly."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, TypeVar

from retouch.recipes.policy.analysing.units import rate_of_argument
from retouch.recipes.policy.english.tools.branch_tools import changes_branch
from retouch.recipes.policy.english.tools.described_things import is_told_of_other, may_be, only_adds, only_finds
from retouch.recipes.policy.english.tools.flag_words import opposites
from retouch.recipes.policy.english.tools.given_arguments import optional_nouns
from retouch.recipes.policy.english.tools.known_tools import (
    HISTORY,
    MAKING,
    PAYING,
    PEOPLE,
    KnownTool,
    known_tools,
    nouns_of_argument,
    split_name,
)
from retouch.recipes.policy.english.tools.name_parts import ALL_VERBS, OTHER_VERBS
from retouch.recipes.policy.english.tools.on_files import FILES, MOVING, Level, handles_files
from retouch.recipes.policy.english.tools.project_paths import paths_inside
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.lexicon import READ, VERBS, VerbMeaning, singular, word_set
from retouch.recipes.policy.english.words.naming import KnownWords
from retouch.recipes.policy.resources.roles import PATH_ROLES, RESOURCE_ROLES, URL_ROLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from retouch.recipes.policy.english.words.acts import Qualifier, Thing
    from retouch.recipes.policy.language.policy import Policy

_Tests = TypeVar("_Tests")
_CODE_GENERAL = frozenset({"command", "code", "script", "program", "statement"})
_CODE = _CODE_GENERAL | word_set("shell bash terminal python javascript node sql query statement console")
_DOING = word_set("create add issue make do initiate process perform post submit take give request")
_OTHER_MESSAGES = word_set("channel chat sms phone text dm slack whatsapp commit error log")
_NO_PARTS = word_set("contact setting preference profile user account filter rule permission member")
_BUYING = frozenset({"buy", "purchase", "order"})
_SPECIFIC = frozenset({"forward", "reply", "respond", "post", "publish", "comment", "label"})
_PAID = word_set("recipient payee beneficiary iban")  # who gets the money of a transfer
_SENDING_MONEY = frozenset({"transfer", "wire"})
_EXACT = _SENDING_MONEY | {"move", "schedule"}  # a tool of this name does it, and no other one
_UNDOING = word_set("cancel void revoke refund reject decline reverse abort restore delete remove")
_VISITING = frozenset(
    {"visit", "fetch", "open", "browse", "go to", "navigate to", "get", "read", "view", "look at", "load"}
)
_VISITORS = word_set("navigate visit browse fetch open goto read get scrape crawl view load")
_LOOKING = frozenset({"view", "look at", "read", "see"})
_MANAGING = word_set("create add update edit set schedule change modify")
_GUESTS = word_set(
    "attendee contact email event_attendee group guest invitation invitee member participant people person recipient "
    "team to user"
)
_COMMITTED = word_set("file change code")  # what a commit has
_LIGHTLY = frozenset({"make", "create", "give", "grant", "send", "offer"})

MOVED_BY = word_set(
    "at bay begin bin board category channel column date day deadline due end folder from group hour index lane list "
    "location parent place position priority project queue rank room section shelf slot stage start state status table "
    "team time until week when"
)
_ANY_CHANGE = word_set("attribute change data detail edit field info patch payload property update value")
COLLECTIONS = word_set(
    "account album archive basket board book bucket calendar cart catalog catalogue collection database directory "
    "drive folder home house inbox inventory library list mailbox network notebook playlist project "
    "repo repository schedule shop site store table warehouse wiki workspace"
)  # what has other things in it


class Toolbox:
    """The tools of a policy as words. `elsewhere` are the names of other servers."""

    def __init__(self, frame: Policy, *, elsewhere: Iterable[str] = ()) -> None:
        self.frame, self.other_servers = frame, frozenset(elsewhere)
        self.elsewhere = frozenset(singular(word) for name in self.other_servers for word in split_name(name))
        self.tools = known_tools(frame.tools.values())
        self.verbs = frozenset(verb for one in self.tools for verb in one.verbs | one.done)
        self.servers = frozenset(word for one in self.tools for word in (one.tool.server.lower(), *one.server_words))
        self.nouns = frozenset(noun for one in self.tools for noun in one.subjects)
        numbers = {arg for one in self.tools for arg in one.numbers}
        arguments = frozenset(singular(arg) for one in self.tools for arg in one.tool.args if arg not in numbers)
        choices = frozenset(noun for one in self.tools for noun in one.named_arguments)
        self.values = frozenset(text.lower() for one in self.tools for texts in one.listed.values() for text in texts)
        self.opposites = frozenset(word for one in self.tools for word in opposites(one))
        self.singular_values = frozenset(map(singular, self.values))
        self.words = KnownWords(
            verbs=self.verbs,
            servers=self.servers,
            nouns=frozenset(frame.roles),
            units=frozenset(unit for one in self.tools for unit in _units(one)),
            rated=frozenset(map(rate_of_argument, numbers)) - {""},
            arguments=arguments | choices,
            values=self.values,
            kinds=frozenset(word for one in self.tools for word in one.kinds),
            choices=choices,
            given=frozenset(
                noun for one in self.tools for arg in one.tool.args for noun in nouns_of_argument(one, arg)
            ),
            common=self.nouns | lexicon.THINGS,
            flags=frozenset(flag for one in self.tools for flag in one.flags),
            examples=frozenset(_examples(self.tools)) - lexicon.ENVIRONMENTS,
            objects=frozenset(noun for one in self.tools for noun in (*one.nouns, *one.argument_words)),
            left_out=frozenset(noun for one in self.tools for noun in optional_nouns(one)),
            prefixes=frozenset(prefix for one in self.tools for prefix in one.prefixes.values()),
            sized=frozenset(noun for one in self.tools for noun in _sized(one)),
            has_repositories=_only_in_repositories(self.tools),
        )
        texts = (text for one in self.tools for text in _texts_of(one))
        self.said_words = frozenset(singular(word) for text in texts for word in split_name(text))
        self.said_words |= frozenset(map(singular, self.values))
        self._heads = Counter((one.tool.server, one.head or "") for one in self.tools)
        self.heads = frozenset((one.tool.server, one.head) for one in self.tools)

    def is_modifier(self, thing: Thing) -> bool:
        """Return whether an object begins with an environment, a flag or a value that the schema of a tool lists."""
        first = thing.raw[0].lower() if len(thing.raw) > 1 == (len(thing.raw) == len(thing.nouns)) else ""
        return first in lexicon.ENVIRONMENTS | self.values | self.words.flags | self.opposites

    def knows(self, noun: str) -> bool:
        """Return whether a noun occurs in the words of the tools, or is a common one."""
        common = lexicon.KNOWN_NOUNS | READ | _CODE | self.elsewhere
        return noun in common or any(noun in one.vocabulary for one in self.tools)

    def names_server(self, word: str) -> bool:
        """Return whether a word as written is in the name of one of the servers. A synonym is not."""
        return any(word.lower() in split_name(one.tool.server) for one in self.tools)

    def meant(self, verb: str, thing: Thing, level: Level, *, places: bool) -> Iterator[KnownTool]:
        """Yield the tools that a verb and its object mean. `places`: the sentence names a directory."""
        yield from (one for one in self.tools if self.is_meant(one, verb, thing, level, places=places))

    def is_specific(self, verb: str, thing: Thing) -> bool:
        """Return whether a verb can only mean the tools that it certainly means: `forward`, if one forwards."""
        return verb in _SPECIFIC and any(True for _ in self.meant(verb, thing, "surely", places=False))

    def is_exact(self, verb: str, thing: Thing) -> bool:
        """Return whether a verb can only mean the tools of its name: `schedule`, if one schedules such things."""
        if verb not in _EXACT or not (thing.nouns or verb in _SENDING_MONEY) or not FILES.isdisjoint(thing.nouns):
            return False  # to rename a file may be to move it
        return any(verb in one.verbs for one in self.meant(verb, thing, "surely", places=False))

    def is_meant(self, one: KnownTool, verb: str, thing: Thing, level: Level, *, places: bool) -> bool:
        """Return whether a verb and its object mean a tool."""
        empty = "new" if verb in lexicon.BRINGING else "existing"  # what is changed or deleted exists
        nouns = tuple(noun for noun in thing.nouns if noun != empty)
        nouns = self._with_name(one, _without_empty_end(one, nouns))
        told = (
            nouns in one.told and (not one.is_done_to_another or verb in one.done) and not is_told_of_other(one, verb)
        )
        told = told and not (level == "surely" and self._is_of_other(one, verb, nouns[-1]))
        told = told and not only_finds(one, verb, nouns)
        if told and one.core and not set(nouns) <= one.vocabulary:
            nouns = one.core[-1:]  # "thermostats", if only the description of `set_temperature` has this word
        found = False if only_adds(one, verb, nouns) else _is_named(one, verb, thing)
        if found is None:
            found = _is_common(one, verb, nouns, level, places=places)
        if found is None:
            found = _commits(one, nouns, level) if verb == "commit" else self._is_general(one, verb, nouns, level)
        if found is not None:
            return found
        known = VERBS.get(verb) or VerbMeaning(surely=frozenset({verb}), perhaps=frozenset({verb}))
        if self._is_about_files(one, nouns, places=places):
            itself = not known.deeds and verb not in MOVING and verb in one.verbs  # `export_table` writes a file
            return itself or handles_files(one, verb, known, nouns, level)
        if verb == "move" and nouns and verb not in one.verbs and can_move(one, level):
            known = VERBS["reschedule"]
        if verb in {"label", "tag"} and set(nouns) <= one.subjects and verb_fits(one, verb, known, level):
            return True
        nominal = bool(nouns) and (nouns[-1] in lexicon.NOMINAL or nouns[-1] in one.verbs)  # "make backups"
        if known.light or (verb in _LIGHTLY and nominal):
            return bool(nouns) and not _does_other(one, nouns) and self._is_action(one, nouns, level)
        if level == "surely" and not nouns and verb in {"post", "publish"} and "send" in one.verbs:
            return False  # what is sent to somebody is not posted, unless the sentence names it: "post messages"
        fits = self._noun_fits(one, nouns, level, single=_is_single(thing)) or _looks_into(one, verb, nouns, level)
        fits = fits or (told and not one.core)  # only the description of `kubectl_delete` says what it deletes
        return verb_fits(one, verb, known, level) and fits

    def _with_name(self, one: KnownTool, nouns: tuple[str, ...]) -> tuple[str, ...]:
        """Return `helm` for "Helm charts" and "Helm releases", if a tool is called so and another one says the word."""
        same = one.is_for_part(nouns) and any(nouns in other.told and other.core == one.core for other in self.tools)
        return one.core if same else nouns

    def _is_of_other(self, one: KnownTool, verb: str, noun: str) -> bool:
        """Return whether a noun is what a tool's things are of: accounts, if it lists transactions of an account.

        Or another tool does it to the things themselves: `update_label` beside `modify_email`, which puts them on.
        """
        if one.head == noun or (one.tool.server, noun) not in self.heads:
            return False
        known = VERBS.get(verb) or VerbMeaning(surely=frozenset({verb}), perhaps=frozenset({verb}))
        same = (other for other in self.tools if other.head == noun and not other.reads)
        return one.told[0][-1] != noun or any(verb_fits(other, verb, known, "surely") for other in same)

    def _is_general(self, one: KnownTool, verb: str, nouns: tuple[str, ...], level: Level) -> bool | None:
        """Return whether a tool does what a verb without a meaning of its own says. None for other verbs."""
        if verb == "touch":
            return bool(one.roles & (PATH_ROLES | {"fetch-url", "git-remote-url"}))
        if verb == lexicon.TOUCH_SITES:
            return bool(one.roles & URL_ROLES)
        if verb in {"use", lexicon.LEAVE_ALONE}:
            return self._is_used(one, nouns)
        if verb == lexicon.GIVE_VALUES:
            return level == "perhaps" and not one.reads and not one.computes and not one.code
        if verb in {"run", "execute"} and set(nouns) <= _CODE | one.vocabulary:
            evaluates = one.told_verb == "evaluate" and bool(nouns) and set(nouns) <= one.told_words
            return evaluates or (one.code and _runs(one, nouns))
        if verb == "rewrite" and nouns == ("history",):
            return "delete-history" in one.roles
        if verb != "":
            return None
        done = lexicon.ACTIONS.get(nouns[-1], nouns[-1]) if nouns and nouns[-1] not in lexicon.NOMINAL else ""
        if done in one.verbs and not one.reads:
            return set(nouns[:-1]) <= one.subjects  # "loans" are what `loan_object` does
        if nouns and nouns[-1] not in lexicon.NOMINAL and not set(nouns) <= _CODE:
            return level == "perhaps" and set(nouns) <= one.subjects
        return self._is_action(one, nouns, level)

    def _is_used(self, one: KnownTool, nouns: tuple[str, ...]) -> bool:
        named = tuple(noun for noun in nouns if noun not in {"tool", "server"})
        return not named if not nouns else bool(named) and one.server_words >= set(named)

    def _is_about_files(self, one: KnownTool, nouns: tuple[str, ...], *, places: bool) -> bool:
        if any(noun in FILES for noun in nouns):
            return set(nouns) <= FILES | one.vocabulary and bool(one.paths)
        nouns = tuple(noun for noun in nouns if noun not in lexicon.CONTENTS)
        return places and (not nouns or set(nouns) <= one.server_words)

    def _is_action(self, one: KnownTool, nouns: tuple[str, ...], level: Level) -> bool:
        """Return whether nouns name the action of a tool: `refunds` for `issue_refund` and `refund_order`."""
        if not nouns or ((nouns == ("command",) or set(nouns) <= _CODE) and one.code):
            return bool(nouns) and one.code and _runs(one, nouns)
        verb = lexicon.NOMINAL.get(nouns[-1]) or (nouns[-1] if nouns[-1] in one.verbs else None)
        if one.reads or one.computes:
            return False
        if verb is not None and verb not in one.verbs and one.verbs <= _UNDOING:
            return False  # `cancel_payment` and `refund_payment` pay nothing
        if nouns == ("payment",) and level == "perhaps" and one.spends and one.argument_words & _PAID:
            return True
        if verb in _BUYING and len(nouns) == 1 and verb_fits(one, verb, VERBS[verb], "surely"):
            return True
        words = set(one.nouns) | one.verbs | one.server_words
        others = set(nouns[:-1]) <= words | one.told_words
        if verb is not None and verb in one.verbs:
            return others
        named = nouns[-1] in set(one.nouns) | one.verbs
        done = bool(one.verbs & (_DOING | MAKING | {"apply", "book", "grant"})) and one.head == nouns[-1]
        return others and named and (level == "perhaps" or bool(one.verbs & _DOING) or done)

    def _noun_fits(self, one: KnownTool, nouns: tuple[str, ...], level: Level, *, single: bool) -> bool:
        if not nouns:
            return True
        if nouns == ("page",) and "fetch-url" in one.roles:
            return True
        if (nouns == ("message",) and one.head == "email") or (nouns == ("email",) and self.is_mail(one)):
            return True
        if not set(nouns) <= one.vocabulary | (lexicon.MONEY if one.spends else frozenset()):
            return False
        if set(nouns) <= lexicon.MONEY and one.spends:
            return True
        if level == "perhaps":
            other = (
                one.head is not None
                and one.head not in nouns
                and (one.head in lexicon.KNOWN_NOUNS or self._heads[one.tool.server, one.head] > 1)
            )
            return not other or (set(nouns) <= one.server_words and not self._are_objects(one, nouns[-1]))
        single = single and nouns != ("email",)  # "my mail" is no collection of all that a server has
        collection = set(nouns) <= one.server_words and (single or (one.tool.server, nouns[-1]) not in self.heads)
        collection = collection and one.head not in _NO_PARTS and (single or one.head not in lexicon.KNOWN_NOUNS)
        if nouns == ("calendar",) and single and one.head == "event" and level == "surely":
            return True
        return collection or one.head == nouns[-1] or (not one.core and set(nouns) <= one.server_words)

    def is_mail(self, one: KnownTool) -> bool:
        """Return whether the messages of a tool are e-mails: its server has no others."""
        sends = "email" in one.server_words or (one.tool.server, "email") in self.heads
        return one.head == "message" and sends and _OTHER_MESSAGES.isdisjoint(one.argument_words | one.told_words)

    def _are_objects(self, one: KnownTool, noun: str) -> bool:
        """Return whether other tools of a server act on what its name says: `cancel_payment` of `payments`.

        Such a noun does not stand for all that the server has, as "calendar" stands for events.
        """
        return (one.tool.server, noun) in self.heads and noun not in COLLECTIONS


def _examples(tools: Iterable[KnownTool]) -> Iterator[str]:
    """Yield the values that descriptions of arguments name as examples."""
    yield from (text.lower() for one in tools for texts in one.examples.values() for text in texts)


def _only_in_repositories(tools: Iterable[KnownTool]) -> bool:
    """Return whether the paths of files are in repositories, and none is on a disk."""
    known = tuple(tools)
    return any(map(paths_inside, known)) and not any(one.paths and not one.code for one in known)


def _texts_of(one: KnownTool) -> Iterator[str]:
    """Yield all that a tool says: its names, and what describes it and its arguments."""
    yield from (one.tool.name, one.tool.server, one.tool.comment, *one.tool.args, *map(one.described, one.tool.args))


def _units(one: KnownTool) -> Iterator[str]:
    """Yield the nouns of a tool's numbers: their arguments, what they count, and the things of a quantity."""
    yield from (unit for arg in one.numbers for unit in (singular(arg.lower()), singular(split_name(arg)[-1])))
    yield from one.counted
    if one.head and {"quantity", "qty"} & set(one.numbers):
        yield one.head


def _sized(one: KnownTool) -> Iterator[str]:
    """Yield the nouns of what a call of a tool may have several of: the items of lists, and the people it is for."""
    yield from PEOPLE if "email-address" in one.roles else ()
    yield from (noun for arg in one.lists for noun in (*nouns_of_argument(one, arg), singular(split_name(arg)[0])))
    yield from (noun for noun in (one.head, *(text[-1] for text in one.told)) if noun and one.lists)


def _without_empty_end(one: KnownTool, nouns: tuple[str, ...]) -> tuple[str, ...]:
    """Return nouns without a last one that adds nothing: "leave requests" for `approve_leave(request_id)`."""
    if len(nouns) < 2 or nouns[-1] in one.vocabulary:
        return nouns
    identified = nouns[-2] == one.head and (f"{nouns[-1]}_id" in one.tool.args or nouns[-1] == "list")
    return nouns[:-1] if identified or nouns[-1] in lexicon.GENERIC else nouns


def _looks(one: KnownTool, verb: str) -> bool:
    return one.reads and verb in VERBS and VERBS[verb].deeds == frozenset({"read"})


def _is_named(one: KnownTool, verb: str, thing: Thing) -> bool | None:
    """Return True if an object is the name of a tool, False if it says a word twice, None if it is not clear yet."""
    looks = _looks(one, verb)
    if thing.nouns == ("page",) and verb in _LOOKING and shows_page(one):
        return True
    if _is_name(one, thing) and (verb in {"use", "run", "execute", ""} or verb in one.verbs or looks):
        return True
    if looks and len(thing.raw) == 1 and frozenset({thing.raw[0].lower()}) == one.verbs and not one.nouns:
        return True
    return None if len(set(thing.nouns)) == len(thing.nouns) else False


def _is_common(one: KnownTool, verb: str, nouns: tuple[str, ...], level: Level, *, places: bool) -> bool | None:
    """Return whether a tool does what is often said in other words: visit a page, pay money, put into a cart."""
    if nouns == ("page",) and verb in _VISITING:
        return _visits(one, verb, level)
    if nouns and verb in lexicon.CREATING - {"add", "insert"} and nouns[-1] == one.head and _adds_to(one):
        return False  # `add_to_playlist` creates no playlist
    if verb == "invite" and one.verbs <= _MANAGING and not one.argument_words & _GUESTS:
        return False
    if verb == "invite" and "send" in one.verbs and one.head in {"email", "message"}:
        return False  # who writes to somebody invites nobody
    if nouns and verb in {"add", "put"} and one.verbs <= {"add", "put"} and "to" in one.words:
        return True if set(nouns) <= one.subjects | {"item", "thing", "article"} else None
    if nouns and set(nouns) <= lexicon.MONEY and verb in {"send", "pay", "transfer", "wire", "move"}:
        return one.spends and (one.head in PAYING - {"order", "booking"} or bool(one.verbs & {"pay", "transfer"}))
    if verb in {"change", "modify", "alter"} and not nouns and not places and level == "perhaps":
        return not one.reads
    if verb in {"write", "edit"} and not nouns and level == "perhaps" and changes_branch(one):
        return True
    return not nouns and bool(one.numbers) and one.spends if verb == "spend" else None


def can_move(one: KnownTool, level: Level) -> bool:
    """Return whether changes by a tool may move something: to another time, or to another place."""
    return bool(one.argument_words & (MOVED_BY if level == "surely" else MOVED_BY | _ANY_CHANGE))


def _commits(one: KnownTool, nouns: tuple[str, ...], level: Level) -> bool | None:
    """Return whether a tool of another name makes a commit of changes. None if that is not clear."""
    if not one.commits or "commit" in one.verbs or not set(nouns) <= _COMMITTED:
        return None
    return level == "perhaps" or one.verbs.isdisjoint({"delete", "remove"})


def _adds_to(one: KnownTool) -> bool:
    return one.verbs <= {"add", "put"} and one.words[1:2] in (["to"], ["into"])


def _visits(one: KnownTool, verb: str, level: Level) -> bool | None:
    if "fetch-url" in one.roles:
        return True if one.verbs <= _VISITORS else None
    if verb in {"get", "read", "view", "look at"}:
        return None
    return level == "perhaps" and not one.reads and bool(one.verbs & _VISITORS)


def shows_page(one: KnownTool) -> bool:
    """Return whether a tool shows the page that is open: a snapshot or a screenshot of it."""
    return not {"snapshot", "screenshot"}.isdisjoint(one.words) and "page" in one.told_words and not one.code


def is_of_open_page(one: KnownTool, qualifier: Qualifier) -> bool:
    """Return whether pages of some sites are meant, and a tool shows the one that is open, whatever its address is."""
    return qualifier.kind == "sites" and shows_page(one)


def _is_single(thing: Thing) -> bool:
    """Return whether an object is one thing: `my calendar`. A calendar is its events, and calendars are its lists."""
    last = thing.raw[-1].lower() if thing.raw else ""
    return bool(last) and (not last.endswith("s") or last.endswith(("ss", "us")))


def _is_name(one: KnownTool, thing: Thing) -> bool:
    """Return whether an object is the name of a tool: `git status` or `void_invoice`."""
    words = [word.lower() for word in thing.raw if word.lower() not in {"tool", "tools"}]
    whole = "_".join(words).replace("-", "_")
    name, server = "_".join(one.words), "_".join(split_name(one.tool.server))
    if whole == f"{server}_{name}":
        return True
    called = thing.raw[-1:] in (("tool",), ("tools",))  # "the fetch tool"
    return bool(words) and whole == name and (called or len(words) > 1 or "_" in whole)


def _does_other(one: KnownTool, nouns: tuple[str, ...]) -> bool:
    """Return whether a tool does something with things that exist: to place an order is not to rate or track one."""
    return bool(one.verbs) and one.verbs <= OTHER_VERBS - {lexicon.NOMINAL.get(nouns[-1]) or nouns[-1]}


def _runs(one: KnownTool, nouns: tuple[str, ...]) -> bool:
    special = set(nouns) - _CODE_GENERAL
    words = {
        *one.words,
        *one.server_words,
        *(word for arg in one.tool.args for word in split_name(arg)),
    }
    words |= set(re.findall(r"[a-z]+", one.tool.comment.lower()))
    if "shell" in special and words & {"bash", "shell", "command", "terminal", "cmd", "sh", "powershell", "console"}:
        special -= {"shell"}
    return special <= words


def verb_fits(one: KnownTool, verb: str, known: VerbMeaning, level: Level) -> bool:
    """Return whether a tool does what a verb means, whatever the objects are."""
    posts = verb in lexicon.SAYING and one.head == "message" and bool((one.done | one.verbs) & {"post", "add"})
    posts = posts or (verb == "download" == one.told_verb and one.reads)  # `attachment_get_data`
    if posts or one.verbs == frozenset({verb}) or (verb in one.done and (level == "perhaps" or len(one.done) == 1)):
        return True
    if level == "surely":
        if one.verbs <= known.surely:
            return not (known.surely <= READ and _changes(one))
    elif one.verbs & known.perhaps or (not one.verbs <= ALL_VERBS and may_be(one, known)):
        return True
    if verb in {"save", "store"} and one.verbs <= {"download", "export"} and "write-path" in one.paths:
        return True
    if verb in {"label", "tag"}:
        named = ({*map(singular, split_name(arg))} for arg in one.tool.args)  # `labelListVisibility` names none
        labels = any(verb in words and words <= {verb, "id", "name", "add", "remove", "new"} for words in named)
        return labels and bool(one.verbs & (VERBS["update"].perhaps | {"add"}))
    acted = lexicon.NOMINAL.get(one.head or "") or lexicon.ACTIONS.get(one.head or "")
    if acted == verb and one.verbs <= MAKING | _DOING | {"apply"}:
        return True
    if verb in _BUYING and lexicon.NOMINAL.get(one.head or "") in _BUYING and one.verbs <= MAKING | _DOING:
        return True
    if (
        verb in {"pay", "transfer", "wire"}
        and one.spends
        and one.verbs & MAKING
        and one.head in {"payment", "transfer", "money"}
    ):
        return True
    named = verb in {"reply", "respond"} and "comment" in one.nouns
    requested = (
        verb in {"merge", "pull", "review"} and one.head == "request"
    )  # who opens a merge request merges nothing
    return (named or verb in one.nouns) and not requested and bool(one.verbs) and one.verbs <= _DOING


def _looks_into(one: KnownTool, verb: str, nouns: tuple[str, ...], level: Level) -> bool:
    """Return whether to read or query things is what a tool does: "channels" for `read_channel_history(channel)`."""
    if not nouns or not one.reads or (level == "surely" and (verb == "list" or verb not in one.verbs)):
        return False  # who lists accounts lists no transactions of them
    return any(" ".join(nouns) in nouns_of_argument(one, arg) for arg in one.required)


def _changes(one: KnownTool) -> bool:
    return bool(one.roles & RESOURCE_ROLES & {"write-path", "delete-path", *HISTORY}) or one.code


def with_the_verb(verb: str, tools: list[tuple[KnownTool, _Tests]]) -> list[tuple[KnownTool, _Tests]]:
    """Return the tools that a permission with a verb means: those with the verb itself, on servers that have one.

    "You may schedule posts" is not about `create_post`, if there is a tool `schedule_post`. Reading, writing and
    deleting have many words, so that all tools are returned for them.
    """
    known = VERBS.get(verb)
    if known is None or known.deeds or known.surely & READ:
        return tools
    exact = {one.tool.server for one, _ in tools if verb in one.verbs}
    return [(one, tests) for one, tests in tools if one.tool.server not in exact or verb in one.verbs]
