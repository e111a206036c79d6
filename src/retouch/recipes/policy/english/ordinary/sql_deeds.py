"""Says which statements of SQL do what the words of an action say: "drop a table", "schema changes", "DELETE".

The words are those that `stances.framing` finds, as a command or a noun, in lower case.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.sql_tools import CHANGING
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.language.values import SQL_KINDS, SqlKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_ALL_KINDS: frozenset[SqlKind] = frozenset(SQL_KINDS)
STORED = word_set("table row record column index view schema data database entry")
_WITH_TABLES = word_set("table schema database data")
_ANY_WORDS = "any all a an the our my existing whole entire new other of each every single more further its"
_ANY = rf"(?:(?:{_ANY_WORDS.replace(' ', '|')}) )*"
_SQL = r"(?: sql)?(?: (?:quer(?:y|ies)|statements?|commands?|sql))?"
_DATA = r"(?:(?:the|our|my|any|this|a) )?(?:databases?|db|data|rows|tables|postgres(?:ql)?)"
_DATABASE = r"(?:(?:the|our|my|any|this|a) )?(?:databases?|db|postgres(?:ql)?)"
_PLACE = (
    r"(?: (?:in|on|from|of|to|into|inside|against) (?:the |our |my |any |this |a )?(?:tables?|databases?|db|"
    r"postgres(?:ql)?|supabase|mysql|sqlite|schema))?"
)
_RUN = r"(?:run|execute|use|issue|send|do|perform|make)"
_QUERY = r"(?:sql(?: quer(?:y|ies)| statements?| commands?)?|quer(?:y|ies)|statements?)"
_READ_ONLY = r"(?:read-?only|read only|readonly|select(?:-only)?)"
_VERBS: Mapping[str, str] = {
    "drop": "drop",
    "truncate": "truncate",
    "update": "update",
    **dict.fromkeys(("delete", "remove", "destroy"), "delete"),
    **dict.fromkeys(("erase", "wipe", "empty", "clear"), "wipe"),
    **dict.fromkeys(("insert", "add", "create", "make"), "create"),
    **dict.fromkeys(("change", "modify", "edit", "overwrite"), "change"),
    **dict.fromkeys(("alter", "rename"), "alter"),
}
_JOINT = r"(?:, or |, and |, | or | and | nor |/)"
_VERB = rf"(?:{'|'.join(_VERBS)})"
_VERB_LIST = rf"(?P<verbs>{_VERB}(?:{_JOINT}{_VERB})*)"
_NOUNS = r"(?P<nouns>[a-z]+(?: (?:or|and|,) [a-z]+)*)"
_NAME = r"(?:[a-z_][a-z0-9_.]*|\"[^\"]+\")"
_TABLE = (
    rf"(?:(?:the |our |my )?(?:(?P<table>{_NAME}) (?:table|(?P<schema>schema))|"
    rf"(?P<several>{_NAME}(?:{_JOINT}{_NAME})+) "
    rf"(?:tables|(?P<schemas>schemas)))|(?:the )?tables? (?P<named>{_NAME}(?:{_JOINT}{_NAME})*)|"
    rf"(?:the )?schemas? (?P<namedschemas>{_NAME}(?:{_JOINT}{_NAME})*))"
)
_ABOUT = "changes change modifications alterations structure migrations migration updates and or"
_GROUPS = ("table", "several", "named", "namedschemas")
_NAMES_OF_KINDS: Mapping[str, tuple[SqlKind, ...]] = {
    **{one: (one,) for one in SQL_KINDS if " " not in one},
    **dict.fromkeys(("inserts", "insertions"), ("insert",)),
    "updates": ("update",),
    **dict.fromkeys(("deletes", "deletions"), ("delete",)),
    "selects": ("select",),
    "truncates": ("truncate",),
    **dict.fromkeys(("drop", "drops"), ("drop", "drop other")),
    "alters": ("alter",),
    "grants": ("grant",),
    "revoke": ("grant",),
    "ddl": ("create", "alter", "drop", "drop other", "truncate", "grant"),
    "dml": ("insert", "update", "delete"),
}
_KIND = rf"(?:{'|'.join(sorted(_NAMES_OF_KINDS, key=len, reverse=True))})"
_KIND_LIST = rf"(?P<kinds>{_KIND}(?:{_JOINT}(?:{_ANY})?{_KIND})*)"
_OTHER_THAN = (
    r"(?:anything|queries|statements|something|sql|others?) (?:but|other than|except|besides|than)|other "
    r"(?:queries|statements) than"
)
_WITHOUT_GRANTS: tuple[SqlKind, ...] = tuple(one for one in CHANGING if one != "grant")
STRUCTURE: tuple[SqlKind, ...] = ("create", "alter", "drop", "drop other")
_STRUCTURE_WORDS = r"(?:structures?|schemas?|layouts?|definitions?|data models?|ddl)"
_RIGHTS = r"(?:rights?|permissions?|privileges?|access rights|grants?|access)"
_OF_DATABASE = re.compile(r"\b(?:database|db|postgres|sql|roles?|logins?)\b")
_ANYONE = r"(?:anyone|anybody|people|users|others|other users|another user|a user|any user|roles?|a role)"
_WHERE = (
    r"(?:without|with no|(?:that|which) (?:lacks?|has no|have no)|lacking|missing) (?:a |an |any |the )?(?:proper )?"
    r"where(?: clauses?| conditions?| filters?)?"
)


@dataclass(frozen=True)
class SqlDeed:
    """Kinds of statements, and the tables that they name if not any. `whole`: SQL of any kind, also what is not known.

    `migrating`: it is about migrations, for which there may be a tool. `reading`: to read in any way, not only by SQL.

    `schema`: the names are those of schemas. `structural`: it is about the structure, which migrations change as well.
    """

    kinds: frozenset[SqlKind]
    tables: tuple[str, ...] = ()
    whole: bool = False
    structural: bool = False
    schema: bool = False
    migrating: bool = False
    reading: bool = False

    @property
    def is_plain(self) -> bool:
        """True if only the kinds of statements count."""
        return not (self.tables or self.whole or self.structural or self.reading)


def sql_deeds(said: str) -> frozenset[SqlDeed]:
    """Return what the words of an action mean for SQL. Empty if they are about something else."""
    text = " ".join(said.replace("`", "").split()).lower()
    found = frozenset(one for read in _READERS for one in read(text))
    return found or frozenset(_joined(text))


def _joined(text: str) -> Iterator[SqlDeed]:
    """Yield what two actions mean together: "give anyone rights or create new users"."""
    for joint in re.finditer(r",? (?:or|and|nor) (?=[a-z]+ )", text):
        first, second = sql_deeds(text[: joint.start()]), sql_deeds(text[joint.end() :])
        if not second and "user" in {kind for one in first for kind in one.kinds} | (
            {"user"} if {"grant"} & {kind for one in first for kind in one.kinds} else set()
        ):
            second = sql_deeds(re.sub(r"\b(?=(?:users?|accounts?)$)", "database ", text[joint.end() :]))
        if len(first) == len(second) == 1:
            (one,), (other,) = first, second
            if one.tables == other.tables:
                yield replace(one, kinds=one.kinds | other.kinds, structural=one.structural or other.structural)


def on_anything(said: str) -> str:
    """Return what is said of "it" or "any" after a part about the database, as what is said of data."""
    found = re.fullmatch(rf"{_VERB_LIST}(?: (?:anything|any|it|them|any of (?:it|them)))?", said)
    return f"{found['verbs']} data" if found else re.sub(r"\b(?:to|from|in) it$", "to the database", said)


def _listed(text: str) -> list[str]:
    """Return the words of a list without "and" and "or"."""
    return [word for word in re.findall(r"\"[^\"]+\"|[a-z_][a-z0-9_.]*", text) if word not in {"or", "and", "nor"}]


def _tables(found: re.Match[str]) -> tuple[str, ...]:
    names = _listed(next((found[one] for one in _GROUPS if found[one]), ""))
    return tuple(one.strip('"').rpartition(".")[2] for one in names)


def _of_verbs(text: str) -> Iterator[SqlDeed]:
    """Yield what "drop a table" and "delete or change rows" mean."""
    if found := re.fullmatch(rf"(?P<verbs>(?:drop|truncate|alter)(?:{_JOINT}(?:drop|truncate|alter))*) anything", text):
        yield SqlDeed(frozenset(kind for verb in _listed(found["verbs"]) for kind in _NAMES_OF_KINDS[verb]))
        return
    found = re.fullmatch(rf"{_VERB_LIST} {_ANY}{_NOUNS}{_PLACE}", text)
    nouns = frozenset[str](map(singular, _listed(found["nouns"]))) if found else frozenset[str]()
    if found is None or not STORED.issuperset(nouns) or _EVERY_ROW.fullmatch(text) or _STRUCTURE.fullmatch(text):
        return
    if nouns == frozenset({"index"}) and not {"change", "update"}.isdisjoint(_listed(found["verbs"])):
        return
    verbs = [_VERBS[one] for one in _listed(found["verbs"])]
    yield SqlDeed(frozenset(kind for verb in verbs for kind in _kinds(verb, nouns)))


def _kinds(verb: str, nouns: frozenset[str]) -> tuple[SqlKind, ...]:
    """Return the kinds of statements that do something to rows, tables or columns."""
    rows = bool(nouns & {"row", "record", "data", "entry"})
    if verb == "change":
        return _WITHOUT_GRANTS
    if verb == "wipe":
        return ("delete", "truncate", "drop") if rows else ("delete all", "truncate", "drop")
    known: Mapping[str, tuple[SqlKind, ...]] = {
        "drop": ("drop",) if nouns & _WITH_TABLES else ("drop other",),
        "truncate": ("truncate",),
        "delete": ("delete", "truncate", "drop") if rows else ("drop",) if nouns & _WITH_TABLES else ("drop other",),
        "create": ("insert",) if rows else ("alter",) if nouns == frozenset({"column"}) else ("create",),
        "update": ("update",) if rows else ("update", "alter"),
    }
    return known.get(verb, ("alter",))


def _of_kinds(text: str) -> Iterator[SqlDeed]:
    """Yield what is said of statements by their names: "run DELETE or TRUNCATE", "anything but SELECT"."""
    for others, pattern in (
        (False, rf"(?:{_RUN} )?{_ANY}{_KIND_LIST}{_SQL}{_PLACE}"),
        (True, rf"(?:{_RUN} )?(?:{_OTHER_THAN}) {_ANY}{_KIND_LIST}{_SQL}{_PLACE}"),
    ):
        found = re.fullmatch(pattern, text)
        if found is not None:
            named = (_NAMES_OF_KINDS[one] for one in _listed(found["kinds"]) if one in _NAMES_OF_KINDS)
            kinds: frozenset[SqlKind] = frozenset(kind for each in named for kind in each)
            yield SqlDeed(_ALL_KINDS - kinds if others else kinds)


def _of_reading(text: str) -> Iterator[SqlDeed]:
    """Yield what is said of queries that only read, or that change something, and of SQL at all."""
    changes = (
        rf"(?:that|which) (?:chang|modif|writ|delet|alter|updat|edit)(?:e|es|s|ies|y)?(?: to)? (?:anything|it|{_DATA})"
    )
    anything = r"(?:(?:anything|something|data) (?:in|to|on) )?"
    forms: tuple[tuple[tuple[SqlKind, ...], str], ...] = (
        (CHANGING, rf"(?:{_RUN} )?{_ANY}(?:{_QUERY}|anything|something) {changes}"),
        (CHANGING, rf"(?:write|writes)(?: (?:anything|data|something))?(?: to {_DATA})?"),
        (CHANGING, rf"(?:{_RUN} )?{_ANY}writes?(?: (?:{_QUERY}|operations?))(?: to {_DATA})?"),
        (CHANGING, rf"(?:change|modify|edit|alter|make changes to) {anything}{_DATABASE}"),
        (
            _WITHOUT_GRANTS,
            r"(?:change|modify|edit) (?:anything|something|data) (?:in|on) (?:(?:the|our|my|any) )?tables?",
        ),
        (
            CHANGING,
            rf"(?:(?:make|do) )?{_ANY}(?:(?:data|database) )?(?:changes|modifications|edits)(?: (?:to|in|of) {_DATA})?",
        ),
        (("select",), rf"(?:{_RUN} )?{_ANY}{_READ_ONLY}{_SQL}{_PLACE}"),
        (("select",), r"(?:read|reads|reading) (?:queries|statements)"),
    )
    for kinds, pattern in forms:
        if re.fullmatch(pattern, text) is not None and _STRUCTURE.fullmatch(text) is None:
            yield SqlDeed(frozenset(kinds))
    read = r"(?:read|select|query|search|look at|look into)(?: (?:data|anything|everything|rows))?(?: (?:from|in))?"
    if re.fullmatch(rf"(?:{read} {_DATA}|reads?)", text) is not None:
        yield SqlDeed(frozenset({"select"}), reading=True)
    if re.fullmatch(rf"(?:{_RUN} )?{_ANY}{_QUERY}(?: (?:on|against|in) {_DATA})?", text) is not None:
        yield SqlDeed(_ALL_KINDS, whole=True)


_EVERY_ROW = re.compile(
    r"(?P<verb>delete|remove|erase|wipe|update|change|modify|overwrite) (?:all|every|each)(?: of)?(?: the)? "
    r"(?:rows?|records?|entries|contents?)(?: (?:of|in|from) (?:(?:a|any|the|whole|entire|one) "
    r")*tables?)?(?: at once)?|"
    r"(?P<empty>empty|clear)(?: out)? (?:(?:a|any|the|whole|entire) )*tables?"
)
_STRUCTURE = re.compile(
    rf"(?:(?:change|alter|modify|edit|touch|make changes to|mess with) {_ANY}(?:(?:table|database|db)(?:'s)? )?"
    rf"{_STRUCTURE_WORDS}(?: of {_ANY}(?:tables?|databases?|db))?|"
    rf"(?:(?:make|do) )?{_ANY}(?:(?:database|db|table) )?(?:schema|structure|structural|ddl) "
    rf"(?:changes?|modifications?|alterations?)(?: (?:to|in|on) {_DATA})?|"
    rf"(?:(?:make|do) )?{_ANY}(?:changes?|modifications?|alterations?) (?:to|of|in) {_ANY}"
    rf"(?:(?:table|database|db)(?:'s)? )?{_STRUCTURE_WORDS}(?: of {_ANY}(?:tables?|databases?|db))?)"
)


def _of_rows(text: str) -> Iterator[SqlDeed]:
    """Yield what is said of every row, and of statements without WHERE."""
    found = _EVERY_ROW.fullmatch(text)
    if found is not None:
        deletes = found["empty"] or found["verb"] in {"delete", "remove", "erase", "wipe"}
        yield SqlDeed(frozenset(("delete all", "truncate", "drop") if deletes else ("update all",)))
    verbs = (
        r"(?P<verbs>(?:update|delete|change|modify|remove|updates|deletes)(?:{0}(?:update|delete|updates|deletes))*)"
    )
    rows = (
        rf"(?: (?:from )?{_ANY}(?:rows?|records?|data|anything|tables?|entries|queries|query|statements?|commands?))?"
    )
    found = re.fullmatch(rf"(?:{_RUN} )?{_ANY}{verbs.format(_JOINT)}{rows}{_PLACE} {_WHERE}", text)
    if found is not None:
        deletes = {one for one in _listed(found["verbs"]) if one.startswith(("delete", "remove"))}
        updates = set(_listed(found["verbs"])) - deletes
        kinds: set[SqlKind] = {"delete all"} if deletes else set()
        kinds |= {"update all"} if updates else set()
        yield SqlDeed(frozenset(kinds))


def _of_structure(text: str) -> Iterator[SqlDeed]:
    """Yield what is said of the schema, of rights, and of the users of a database."""
    if _STRUCTURE.fullmatch(text) is not None:
        yield SqlDeed(frozenset(STRUCTURE), structural=True)
    if re.fullmatch(rf"(?:(?:apply|run|do|perform|make|execute) )?{_ANY}(?:(?:database|db|schema) )?migrations?", text):
        yield SqlDeed(frozenset(STRUCTURE), structural=True, migrating=True)
    giving = r"(?:grant|give|change|revoke|add|extend|modify|edit|alter|hand out|assign)"
    rights = rf"(?:database |db |table |schema |access )?{_RIGHTS}"
    to_whom = rf"(?: (?:to|for|of|from) {_ANYONE})?"
    if re.fullmatch(rf"{giving} (?:{_ANYONE} )?{_ANY}(?:additional |extra )?{rights}{_PLACE}{to_whom}", text):
        named = re.search(r"rights|permission|privilege|grant|database|db ", text) is not None
        yield from (SqlDeed(frozenset({"grant"})),) if named else ()
    doing = r"(?:create|add|make|drop|delete|remove|alter|change|modify|manage|edit)"
    users = r"(?:(?:database |db |postgres |sql )?(?:users?|roles?|logins?|accounts?))"
    if re.fullmatch(
        rf"{doing}(?:{_JOINT}{doing})* {_ANY}{users}(?:{_JOINT}{_ANY}{users})*{_PLACE}", text
    ) and _OF_DATABASE.search(text):
        yield SqlDeed(frozenset({"user"}))


def _of_tables(text: str) -> Iterator[SqlDeed]:
    """Yield what is said of some tables: "read the salaries table", "delete rows from the orders table"."""
    inside = r"(?:(?:anything|rows?|data|records?|entries) (?:in|from|of|to|into) )?"
    change = (
        r"(?:change|modify|edit|alter|write to|overwrite|change or delete|write|add or change|make changes to|"
        r"change anything in)"
    )
    touch = r"(?:touch|access|use|look at|look into|open|go into|query|read|read from|select from)"
    forms: tuple[tuple[frozenset[SqlKind], str], ...] = (
        (_ALL_KINDS, rf"(?:{touch} {inside})?{_TABLE}"),
        (frozenset(CHANGING), rf"{change} {inside}{_TABLE}"),
        (frozenset({"delete", "truncate", "drop"}), rf"(?:delete|remove|erase|wipe) {_ANY}{inside}(?:from )?{_TABLE}"),
        (frozenset({"insert"}), rf"(?:insert|add)(?: {_ANY}{inside}| into | to ){_TABLE}"),
        (frozenset({"update"}), rf"update {_ANY}{inside}{_TABLE}"),
        (frozenset({"drop"}), rf"drop {_TABLE}"),
        (frozenset({"truncate"}), rf"(?:truncate|empty) {_TABLE}"),
        (frozenset({"alter"}), rf"(?:alter|rename) {_TABLE}"),
    )
    for kinds, pattern in forms:
        found = re.fullmatch(pattern, text)
        doubled = kinds == frozenset(CHANGING) and text.startswith("alter ")
        if found is not None and not doubled and _are_names(_tables(found)):
            schema = any(found[one] for one in ("schema", "schemas", "namedschemas"))
            yield SqlDeed(kinds, tables=_tables(found), schema=schema)


def _are_names(names: tuple[str, ...]) -> bool:
    """Return whether words are names of tables, and no other words about them."""
    others = {*_VERBS, *_NAMES_OF_KINDS, *_ANY_WORDS.split(), *_ABOUT.split(), "sql"}
    return bool(names) and others.isdisjoint(names) and STORED.isdisjoint(map(singular, names))


_READERS: tuple[Callable[[str], Iterator[SqlDeed]], ...] = (
    _of_verbs,
    _of_kinds,
    _of_reading,
    _of_rows,
    _of_structure,
    _of_tables,
)
