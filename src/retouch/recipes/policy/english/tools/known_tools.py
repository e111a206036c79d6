"""A tool as words: the verbs and nouns of its name, and what its schema and description say."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from retouch.recipes.policy.analysing.execution import executes_code
from retouch.recipes.policy.analysing.units import described
from retouch.recipes.policy.deciding.json_schema import has_only
from retouch.recipes.policy.english.tools.coded_values import explained_values
from retouch.recipes.policy.english.tools.name_parts import split_name
from retouch.recipes.policy.english.tools.words_of_names import base_verb, prefix_of_server, words_of_name
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.lexicon import READ, VERBS, singular, word_set
from retouch.recipes.policy.language.docstrings import plain_tool
from retouch.recipes.policy.resources.roles import PATH_ROLES, URL_ROLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.language.values import Scalar, Tool

HISTORY = frozenset({"write-history", "delete-history"})
MAKING = word_set("send make create place submit schedule initiate issue do confirm execute")
# These only find out a number: `calculate_refund` refunds nothing.
_COMPUTING = word_set("calculate compute estimate compare quote simulate calculator estimator simulator")
_MAKES = word_set("create make add establish set")
CHARACTER = "character"
GENERAL_THINGS = word_set("object resource entity item thing record element entry")
# Who an address or a name in a list stands for.
PEOPLE = word_set(
    "person people recipient guest attendee participant invitee contact colleague member address user addressee"
)
_NAMING = word_set("id ids name names key keys slug slugs")
_NAME_OF = re.compile(r"(?:full |account )?names? of (?:an?|the) (?P<what>[a-z]+(?: [a-z]+)?)(?:[,;(].*)?$")
_COUNTED = re.compile(
    r"(?:number|count|maximum number) of (\w+)|\b(degrees?|minutes?|hours?|seconds?|days?|nights?|percent)\b"
    r"|^\w+ in (points|stars|words|characters|pieces|pages|copies|people|persons|seats|kilograms|grams|litres|metres)$"
)
_OBJECT = re.compile(
    r"\w+ (?:(?:on|for|to|the|an?|one|new|existing|several|or|recent|messages of) )*(?P<what>[a-z]+(?: [a-z]+){0,2})"
    r"(?: of (?:an?|the) (?P<whose>[a-z]+))?(?: (?:to|from|in|into|of|with|by|on|for|as|at|without|over|"
    r"below|and|between|through|via|across) .*)?"
)
_EITHER = re.compile(r" (?:or|and) ")  # "a file or folder" is one of each
_DELETING = word_set("delete remove")
_TO_TRASH = re.compile(r"moves? [^.]*\bto (?:the )?(?:trash|bin|recycle bin)\b")
_HELD = re.compile(r"[a-z]+ (?:an? |the )?(?:thread|list|page|batch) of (?:all |the )?([a-z]+)\b")
_IMPERATIVE = re.compile(
    r"(?P<verbs>[a-z]+(?:(?:, (?:or |and )?| or | and )[a-z]+)*) "
    r"(?:an?|one|the|another|new|several|all|some|your|this)\b"
)
_SAYING = word_set("is are was be has have does can may for with from in on at by if this that use uses used")
_COUNTS = word_set("level count figure quantity")
_PLAIN = word_set("number text list date time day title description value amount address file path whether what how")
_USED = r"\buse ['\"`](?=[a-z]{3,}['\"`] (?:for|to mean) (?:the|your) )"  # "use 'primary' for the main calendar"
_SUCH = r"\b(?:e\.g\.|for example|for instance|such as|like)"
_EXAMPLES = re.compile(rf"(?:{_SUCH} |{_USED})([\w-]+(?:(?:, | or |, or )[\w-]+)*)")
_ID_LIKE = re.compile(rf"{_SUCH}[ ,:]+['\"`]?([A-Za-z]{{2,}}[_-])[\w-]*\w")
_FILE_NAME = re.compile(r"\b(?:[Ff]ile ?name|[Nn]ame of the (?:\w+ )?file)\b(?!.*(?:[Aa]bsolute|\bpath))")
_PART_OF_FILE = re.compile(
    r"\b(?:delet|remov)\w+ (?:an? |the |single |one )*(?:cell|line|block|section|paragraph|slide)s?\b"
)
_STORE = re.compile(r"\b(?:gs|s3|az|abfss?|hdfs|s?ftp|jdbc)://")
_BESIDE = word_set("attachment attachments attach repo repository")
_NO_KINDS = word_set("of the a an or and in for to with only new this") | {""}
_SPENDING = word_set("pay order buy purchase book reserve transfer wire charge spend donate subscribe checkout tip")
PAYING = word_set("payment transfer order purchase booking donation money wire payout remittance")


@dataclass(frozen=True, kw_only=True, eq=False)
class KnownTool:
    """A tool as words: the verbs and nouns of its name, the words of its server, its roles.

    `words` are those of the name without that of the server, if all tools of the server begin with it.
    """

    tool: Tool
    verbs: frozenset[str]
    nouns: tuple[str, ...]
    server_words: frozenset[str]
    roles: frozenset[str]
    code: bool
    words: list[str]

    @property
    def key(self) -> tuple[str, str]:
        """Server and tool."""
        return self.tool.server, self.tool.name

    @cached_property
    def core(self) -> tuple[str, ...]:
        """The nouns of the name without words such as `info` and `list`."""
        return tuple(one for one in self.nouns if one not in lexicon.ATTRIBUTES)

    @property
    def head(self) -> str | None:
        """The noun that the tool acts on: the last one."""
        return self.core[-1] if self.core else None

    @property
    def vocabulary(self) -> frozenset[str]:
        """All nouns of the tool and words of its server."""
        return frozenset(self.nouns) | self.server_words

    @cached_property
    def argument_words(self) -> frozenset[str]:
        """The words of the arguments."""
        return frozenset(singular(word) for arg in self.tool.args for word in split_name(arg))

    @cached_property
    def named_arguments(self) -> Mapping[str, str]:
        """The arguments that choose a thing by its id or name, by its noun: `calendar` for `calendar_id`."""
        found = {arg: split_name(arg) for arg in self.tool.args}
        named = {singular(words[0]): arg for arg, words in found.items() if len(words) == 2 and words[1] in _NAMING}
        told = {arg: split_name(self.described(arg)) for arg, words in found.items() if len(words) == 1}
        return named | {
            singular(arg): arg for arg, words in told.items() if set(words[:3]) & _NAMING or words[:1] == [arg.lower()]
        }

    @cached_property
    def subjects(self) -> frozenset[str]:
        """The vocabulary and the words of the arguments."""
        found = self.vocabulary | self.argument_words
        return found | {"repository"} if self.roles & (HISTORY | {"git-remote-url"}) else found

    @cached_property
    def _schemas(self) -> Mapping[str, Mapping[str, JSON]]:
        """The schemas of arguments, as far as they are objects."""
        return {arg: one for arg, one in self.tool.schemas.items() if isinstance(one, dict)}

    def schema_of(self, arg: str) -> Mapping[str, JSON]:
        """Return the schema of an argument. Empty if it has none."""
        return self._schemas.get(arg, {})

    @property
    def numbers(self) -> tuple[str, ...]:
        """The arguments that are numbers by the tool's schema."""
        numbers = (arg for arg in self.tool.args if has_only(self._schemas.get(arg), "number", "integer"))
        return tuple(arg for arg in numbers if arg not in self.coded)

    @cached_property
    def coded(self) -> Mapping[str, Mapping[str, Scalar]]:
        """The listed values of arguments by the words of their descriptions: `1` by `urgent` for "1 = urgent"."""
        schemas = {arg: one for arg, one in self._schemas.items() if arg in self.tool.args}
        found = {arg: explained_values(self.described(arg), one) for arg, one in schemas.items()}
        return {arg: words for arg, words in found.items() if words}

    @cached_property
    def listed(self) -> Mapping[str, tuple[str, ...]]:
        """The arguments for which the tool's schema lists values, with these values and the words that explain them."""
        enums = {arg: one.get("enum") for arg, one in self._schemas.items() if arg in self.tool.args}
        listed = {
            arg: [text for text in values if isinstance(text, str)]
            for arg, values in enums.items()
            if isinstance(values, list)
        }
        return {arg: (*listed.get(arg, ()), *self.coded.get(arg, ())) for arg in listed.keys() | self.coded.keys()}

    @cached_property
    def examples(self) -> Mapping[str, tuple[str, ...]]:
        """The values that the descriptions of arguments give as examples: `westeurope` of "Region, e.g. westeurope"."""
        told = {arg: _EXAMPLES.search(self.described(arg)) for arg in self.tool.args if arg not in self.listed}
        texts = {arg: re.split(r",? or |, ", found[1].rstrip(".")) for arg, found in told.items() if found}
        return {arg: tuple(one for one in found if re.fullmatch(r"[\w-]{3,}", one)) for arg, found in texts.items()}

    @cached_property
    def prefixes(self) -> Mapping[str, str]:
        """What the ids of arguments begin with by their descriptions: `payee_` of "Payee ID, e.g. 'payee_helio'"."""
        told = {arg: _ID_LIKE.search(self.described(arg)) for arg in self.tool.args if arg not in self.listed}
        return {arg: found[1].lower() for arg, found in told.items() if found and self.takes_text(arg)}

    @property
    def kinds(self) -> frozenset[str]:
        """The nouns of arguments with listed values: `class` for "Cabin class", `room` for "Type of the room"."""
        told = [split_name(self.described(arg)) for arg in self.listed]
        words = {word for text in told if len(text) <= 4 for word in text}
        words |= {word for arg in self.listed for word in split_name(arg)} | {self.head or ""}
        return frozenset(singular(word) for word in words - _NO_KINDS)

    def takes_text(self, arg: str) -> bool:
        """Return whether an argument is a text or a list of texts by the tool's schema."""
        return has_only(self._schemas.get(arg), "string", "array")

    def takes_null(self, arg: str) -> bool:
        """Return whether null is a value of an argument by the tool's schema, and not what is meant without it."""
        schema = self._schemas.get(arg, {})
        told = schema.get("type")
        return "default" not in schema and isinstance(told, list) and "null" in told

    def takes_one_text(self, arg: str) -> bool:
        """Return whether an argument is a single text by the tool's schema."""
        return has_only(self._schemas.get(arg), "string")

    def deletes_parts_of(self, nouns: tuple[str, ...]) -> bool:
        """Return whether these are files, of which the tool only deletes parts: "replaces or deletes a cell"."""
        return {*nouns} - {"delete", "remove"} == {"file"} and _PART_OF_FILE.search(
            self.tool.comment.lower()
        ) is not None

    @cached_property
    def lists(self) -> tuple[str, ...]:
        """The arguments that are lists by the tool's schema."""
        return tuple(arg for arg in self.tool.args if has_only(self._schemas.get(arg), "array"))

    def format_of(self, arg: str) -> str:
        """Return the format of an argument by the tool's schema, such as `date-time`. "" if it has none."""
        found = self._schemas.get(arg, {}).get("format")
        return found if isinstance(found, str) else ""

    @cached_property
    def has_free_fields(self) -> bool:
        """True if an argument is an object by the tool's schema, so that a call can name any field in it."""
        return any(has_only(schema, "object") for schema in self._schemas.values())

    def has_default(self, arg: str) -> bool:
        """Return whether the tool's schema gives a value to an argument that is left out."""
        return self._schemas.get(arg, {}).get("default") not in (None, [], "", False)

    def default_of(self, arg: str) -> JSON:
        """Return the default of an argument by the tool's schema, or None."""
        return self._schemas.get(arg, {}).get("default")

    @cached_property
    def flags(self) -> Mapping[str, str]:
        """The arguments that are true or false, by their names in words: `privileged`, `private` for `is_private`."""
        flags = (arg for arg in self.tool.args if has_only(self._schemas.get(arg), "boolean"))
        return {" ".join(split_name(arg)).removeprefix("is "): arg for arg in flags}

    def described(self, arg: str) -> str:
        """Return what the tool's schema says about an argument."""
        return described(self.tool, arg)

    @cached_property
    def told_words(self) -> frozenset[str]:
        """The words of the description."""
        return frozenset(map(singular, re.findall(r"[a-z]+", self.tool.comment.lower())))

    @cached_property
    def told_places(self) -> frozenset[str]:
        """What a description only says of its things: `repository` of "an issue in a repository"."""
        told = self.tool.comment.lower()
        of = re.findall(rf"\b{re.escape(self.head or '-')}s? of (?:an?|the) (?:[a-z]+ )?([a-z]+)", told)
        return frozenset(map(singular, (*_TOLD_PLACE.findall(told), *of)))

    @cached_property
    def described_words(self) -> frozenset[str]:
        """The words of the description, and of those of the arguments."""
        told = " ".join(map(self.described, self.tool.args)).lower()
        return self.told_words | frozenset(map(singular, re.findall(r"[a-z]+", told)))

    @cached_property
    def told(self) -> tuple[tuple[str, ...], ...]:
        """What the description of the tool says that it acts on: `song` for "Add songs to a playlist"."""
        comment = re.sub(r"^([a-z]+) \([a-z ]*\)", r"\1", self.tool.comment.lower()).removeprefix("force ")
        first = re.split(r"[.,;:(]", comment, maxsplit=1)[0]
        found = _OBJECT.fullmatch(" ".join(first.split()))
        texts = [match[1] for match in [_HELD.match(first)] if match]
        texts += [text for text in (found["what"], found["whose"]) if text] if found else []
        texts += [text for both in texts for text in _EITHER.split(both) if _EITHER.search(both)]
        words = [tuple(map(singular, text.split())) for text in texts]
        words += [text[:-1] for text in words if len(text) == 2 and text[-1] in _COUNTS]  # "stock levels" are stock
        words += [text[1:] for text in words if len(text) == 2 and text[0] in self.server_words]
        words = [text for text in words if "_".join(text) not in self._kinds_of_things]
        return tuple(each[start:] for each in words for start in range(len(each)) if start == 0 or len(each) == 3)

    @cached_property
    def _kinds_of_things(self) -> frozenset[str]:
        """The kinds of `delete_object(type)`: a description that lists them does not say that it is for any one."""
        kinds = (arg for arg in self.listed if arg in self.required and split_name(arg)[-1] in {"type", "kind"})
        known = {value.lower() for arg in kinds for value in self.listed[arg]}
        return frozenset(known) if self.head in GENERAL_THINGS and not self.reads else frozenset()

    @property
    def told_verb(self) -> str:
        """The word that the description begins with: `send` for "Send a message". "" if there is none.

        What moves things to the trash moves them nowhere else: it is `trash`.
        """
        if self.verbs & _DELETING and _TO_TRASH.match(self.tool.comment.lower()):
            return "trash"
        return base_verb(next(iter(re.findall(r"^[a-z]+", self.tool.comment.lower())), ""))

    @property
    def is_done_to_another(self) -> bool:
        """True if the noun of the name is what the description does: "Comment on an issue" for `create_comment`."""
        said, head = self.told_verb, self.head or ""
        return bool(said) and said in {head, lexicon.NOMINAL.get(head), lexicon.ACTIONS.get(head)} - self.verbs

    @property
    def is_told_by_noun(self) -> bool:
        """True if the description has the verb of the name as a noun: "Create a link between two issues"."""
        made = self.told_verb in _MAKES and bool(self.told)
        return made and self.told[0][-1] in set(map(singular, self.verbs))

    @cached_property
    def done(self) -> frozenset[str]:
        """The verbs that the description begins with: `start` and `stop` for "Start or stop a server".

        A description that only reads adds nothing to a name that does not, nor does "Create a link between two issues"
        to `link_issues`: it creates no issue.
        """
        if self.is_told_by_noun:
            return frozenset()
        if self.told_verb == "trash":
            return frozenset({"trash"}) - self.verbs
        said = _IMPERATIVE.match(self.tool.comment.lower())
        words = re.findall(r"[a-z]+", said["verbs"]) if said else re.findall(r"^[a-z]+(?= )", self.tool.comment.lower())
        found = {base_verb(word) for word in words if word not in {"or", "and"}}
        known = {one for one in found if one in VERBS and VERBS[one].surely and not VERBS[one].surely <= READ}
        strange = {one for one in found if said and one not in VERBS and one not in _SAYING}
        chosen = len(found) > 1 and bool(self.listed)  # which of them a call does is up to an argument
        clear = not self.reads and not chosen and found <= known | strange
        return frozenset(known | strange) - self.verbs if clear else frozenset()

    @cached_property
    def counted(self) -> Mapping[str, str]:
        """The arguments with numbers by what their description says that they count: `message`, `degree`."""
        found = {arg: _COUNTED.findall(self.described(arg).lower()) for arg in self.numbers}
        scaled = {"replica": "scale"} if {"kind", "scale"} <= self.tool.args.keys() and "scale" in found else {}
        return scaled | {singular(noun): arg for arg, nouns in found.items() for pair in nouns for noun in pair if noun}

    @cached_property
    def required(self) -> frozenset[str]:
        """The arguments without which the tool's schema allows no call."""
        found = (self.tool.input_schema or {}).get("required")
        return frozenset(one for one in found if isinstance(one, str)) if isinstance(found, list) else frozenset()

    @cached_property
    def has_relative_paths(self) -> bool:
        """True if a description shows that a path is relative: "e.g. Work/Plan.md". Such calls cannot be decided."""
        told = (self.described(arg) for arg, spec in self.tool.args.items() if PATH_ROLES & set(spec.all_roles))
        shown = r"\brelative to\b|\b(?:e\.g\.|such as|for example) [\w-]+/[\w./-]+"
        return any(re.search(shown, text) for text in told)

    @cached_property
    def unreadable(self) -> tuple[str, ...]:
        """The arguments whose values nobody can decide about: names of files without a directory, `gs://` addresses."""
        told = {arg: (spec.all_roles, self.described(arg)) for arg, spec in self.tool.args.items()}
        return tuple(
            arg
            for arg, (roles, text) in told.items()
            if (PATH_ROLES & set(roles) and _FILE_NAME.search(text)) or (URL_ROLES & set(roles) and _STORE.search(text))
        )

    @property
    def chooses_by_id(self) -> bool:
        """True if a call names a thing by its id, so that nobody sees where the thing is."""
        return any(map(is_id, self.required))

    @property
    def spends(self) -> bool:
        """True if the tool pays for something."""
        if self.verbs & _SPENDING:
            return True
        return bool(self.verbs & MAKING) and not PAYING.isdisjoint(self.nouns)

    @property
    def computes(self) -> bool:
        """True if the tool only calculates: `calculate_refund`, `refund_calculator`."""
        return self.verbs <= _COMPUTING or (bool(self.nouns) and self.nouns[-1] in _COMPUTING)

    @property
    def reads(self) -> bool:
        """True if every verb of the name only reads."""
        return bool(self.verbs) and self.verbs <= READ

    def is_for_part(self, nouns: tuple[str, ...]) -> bool:
        """Return whether nouns name what a description calls it by two words: a chart, or "Helm release" for `helm`."""
        return (
            self.core == nouns[:-1] != ()
            and any(text[:-1] == self.core for text in self.told)
            and self.core not in self.told
        )

    def has_phrase(self, nouns: tuple[str, ...]) -> bool:
        """Return whether words follow each other in the names of the tool, its server or an argument.

        Single words do not count: `internal tickets` is no thing of `add_internal_note(ticket_id)`.
        """
        names = (self.tool.server, self.tool.name, *self.tool.args, f"{self.tool.server}_{self.tool.name}")
        wanted = " ".join(nouns)
        return any(f" {wanted} " in f" {' '.join(map(singular, split_name(name)))} " for name in names)

    @property
    def commits(self) -> bool:
        """True if a call has a commit message, whatever the name of the tool."""
        told = (f"{' '.join(split_name(arg))} {self.described(arg)}".lower() for arg in self.tool.args)
        return not self.reads and any("commit message" in one for one in told)

    @property
    def has_files(self) -> bool:
        """True if an argument is a path other than of an attachment or a repository."""
        paths = (arg for arg, spec in self.tool.args.items() if PATH_ROLES & set(spec.all_roles))
        return any(_BESIDE.isdisjoint(split_name(arg)) for arg in paths)

    @property
    def paths(self) -> frozenset[str]:
        """The path roles of its arguments."""
        return self.roles & PATH_ROLES


def takes_paths(one: KnownTool, arg: str) -> bool:
    """Return whether an argument of a tool is a path."""
    return arg in one.tool.args and not PATH_ROLES.isdisjoint(one.tool.args[arg].all_roles)


def known_tools(tools: Iterable[Tool]) -> tuple[KnownTool, ...]:
    """Return the tools of a policy as words. What the names on a server share says what their words are.

    The first word of `browser_press_key` and `browser_click` is no verb, and the last one of `boost_post` is none if
    there is a tool `delete_post`.
    """
    known = tuple(tools)
    named = {one.server: [split_name(other.name) for other in known if other.server == one.server] for one in known}
    return tuple(known_tool(one, names=named[one.server]) for one in known)


def known_tool(tool: Tool, *, names: Sequence[list[str]] = ()) -> KnownTool:
    """Return a tool as words. `names` are the words of the names of all tools of its server."""
    tool = plain_tool(tool)
    prefix = prefix_of_server(tool.server, names)
    words = split_name(tool.name)[prefix:]
    server, verbs, nouns = words_of_name(tool, words, [each[prefix:] for each in names])
    nouns = nouns or (["process"] if "pid" in tool.args else [])  # `force_terminate(pid)`
    return KnownTool(
        tool=tool,
        verbs=verbs,
        nouns=tuple(map(singular, nouns)),
        server_words=frozenset(map(singular, server)),
        roles=frozenset(role for spec in tool.args.values() for role in spec.all_roles),
        code=executes_code(tool),
        words=words,
    )


_TOLD_PLACE = re.compile(
    r"\b(?:in|on|within|inside) (?:an?|the|your|some) (?:[a-z]+ )?([a-z]+)(?=[.,;:]|$| by\b| with\b)"
)
# In the description of an argument
ID_OR_NAME = re.compile(r"\b(?:names?,? or ids?|ids?,? (?:or )?names?)\b", re.IGNORECASE)


def is_id(arg: str) -> bool:
    """Return whether an argument names things by their ids."""
    return split_name(arg)[-1:] in (["id"], ["iid"], ["ids"])


def _singular_phrase(text: str) -> str:
    return re.sub(r"\S+$", lambda found: singular(found[0]), text)


def nouns_of_argument(one: KnownTool, arg: str) -> frozenset[str]:
    """Return the nouns that name an argument: `server type` and `type` for `server_type`, `course` for its name."""
    words = split_name(arg)
    if not words:
        return frozenset()
    whole = " ".join((*words[:-1], singular(words[-1])))
    if len(words) == 1 and words[0] == one.head:
        return frozenset({words[0]})  # `press_key(key)`
    found = {whole, singular(words[-1])} - _NAMING
    if len(words) > 1 and words[-1] in _NAMING:
        found.add(singular(words[0]))
    if arg.lower() not in {"name", "title"}:  # those of what is made
        told = _NAME_OF.match(one.described(arg).lower())
        lead = re.match(r"[a-z]+ [a-z]+(?=[,;(]|$| \()", one.described(arg).lower())
        found |= (
            {_singular_phrase(told["what"])} if told else {lead[0]} if lead and words[-1] in lead[0].split() else set()
        )
        alone = re.fullmatch(r"(?:the )?([a-z]{3,})(?:[.,;(].*)?", one.described(arg).lower())
        found |= {singular(alone[1])} - _NAMING - _PLAIN if alone else set()
        whose = re.match(r"(?:the )?([a-z]+) (?:that|which|where|whose|to)\b", one.described(arg).lower())
        found |= {singular(whose[1])} - _NAMING - _PLAIN if whose else set()
    return frozenset(found)
