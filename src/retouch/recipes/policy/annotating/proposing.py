"""Proposes the roles of a tool's arguments from its name and schema. A proposal errs on the strict side.

The hints of a server (`readOnlyHint`, `destructiveHint`) are not trusted: they can add roles, and never remove one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias, cast

from retouch.recipes.policy.analysing.execution import KINDS_OF_CODES, executes_code, is_sql
from retouch.recipes.policy.deciding.json_schema import has_only, keyword_values
from retouch.recipes.policy.english.tools.known_tools import KnownTool, known_tool
from retouch.recipes.policy.english.tools.name_parts import split_name
from retouch.recipes.policy.english.words.lexicon import word_set
from retouch.recipes.policy.language.docstrings import plain_texts
from retouch.recipes.policy.language.plain_schemas import plain_schema
from retouch.recipes.policy.language.values import RoleSpec, Tool
from retouch.recipes.policy.resources.roles import FILE_NAME

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch._lib.json_text import JSON

_PATHS = word_set(
    "path paths file files filename filepath dir directory folder source destination src dst dest root cwd "
    "repo_path file_path directory_path target_path output_path input_path workdir"
)
_ENDS = word_set("source destination from to")
_JOURNEYS = word_set("origin departure date departure_date arrival passengers travelers check_in checkin nights")
_URLS = word_set("url urls uri link href endpoint address_url page_url webhook")
_PEOPLE = word_set("to cc bcc recipient recipients email emails attendees attendee invitees email_address")
_BRANCHES = word_set(
    "branch branch_name base head ref base_branch head_branch from_branch source_branch target_branch new_branch"
)
_CODE = word_set("command cmd code script sql shell statement program expression")
# What stands before "code" if a program is meant, and if a number or name that somebody is given is.
_PROGRAMS = word_set(
    "source src python py javascript js typescript ts shell bash node ruby perl lua java macro snippet cell executable"
)
_NUMBERED = KINDS_OF_CODES | word_set(
    "error status exit return response result reply http state region city station bay gate seat platform lang locale "
    "product item sku bar barcode qr color hex verification confirmation activation auth authorization access security "
    "pin mfa totp account customer client employee order booking reservation course department branch bank swift sort "
    "tax category type unit class group cost project dial dialing calling calendar carrier"
)
_SAVING = word_set("save download take export print capture screenshot pdf record dump")
_ELSEWHERE = re.compile(r"\b(?:paths?|absolute|relative|director(?:y|ies)|folders?|location|where)\b")
# "Prefer relative file names to stay within the output directory": the directory is the server's.
_IN_OUTPUT = re.compile(r"\b(?:prefer )?relative file ?names to stay within the output directory")
_ABOUT_CODE = word_set("id ids type types lang language name number path file filename url system set list length")
_RUN_BY = re.compile(
    r"\b(?:source code|snippets?|python|javascript|typescript|shell|bash|sql|"
    r"(?:run|runs|execute[sd]?|executing|evaluate[sd]?|eval|interprete?[sd]?|compile[sd]?))\b"
)
_LONGEST_CODE = 32
_OWNERS = word_set("owner org organization")
_REPOSITORIES = word_set("repo repository repo_name")
_PROJECTS = word_set("project project_id projectid project_key repo_slug workspace")  # beside a branch: of a host
# What is in folders that are only names in a program, such as the folders of a mailbox.
_FILED = word_set(
    "message messages mail mails mailbox email emails thread threads conversation conversations draft drafts contact "
    "contacts dashboard dashboards bookmark bookmarks"
)
_ON_DISK = re.compile(r"\b(?:paths?|director(?:y|ies)|disks?|files?|drives?)\b|/")
_RELATIVE = re.compile(
    r"\brelative (?:file ?)?(?:paths?|to)\b"
    r"|(?:\be\.g\.,?|\bfor example,?|\bexample:|\bsuch as|\blike) "
    r"['\"`]?(?![/~])[\w.-]+(?:/[\w.-]+)*(?:/|\.[a-z0-9]{1,5}\b)",
    re.IGNORECASE,
)
_TAKES_OUT = word_set("download export save write dump backup back archive import upload attach")
_BODIES = word_set("body text html message content")
_READS = word_set(
    "read get list search find view show describe fetch stat info tree grep glob ls count diff status log"
)
_WRITES = word_set("write create edit append save update put make mkdir store set add touch")
_DELETES = word_set("delete remove trash erase purge unlink rm rmdir")
_OF_FILES = word_set("permission access share collaborator label tag comment star favorite favourite reaction")
_ALL_PATHS = ("read-path", "write-path", "delete-path")
_TARGETS = word_set("output out save destination dest dst target export")
_SAVES = re.compile(r"\b(?:sav|writ|overwrit|stor|dump|export|download|creat)(?:e[sd]?|ing|ten|s|ed)?\b|\boutput\b")
_REMOVES = re.compile(r"\b(?:delet|remov|eras)(?:e[sd]?|ing)\b")
# Which of the files that a call brings with it is run first, and the fields of such a file.
_ENTRIES = word_set("entrypoint_path entrypoint entry_point import_map_path")
_FIELDS = frozenset({"name", "content", "encoding", "type"})
_NO_DISK = re.compile(
    r"\b(?:bank|account|wallet|iban|card|warehouse|depot|shelf|airport|station|city|country|currency|calendar|channel|"
    r"queue|topic|project|board|lead|campaign)s?\b",
    re.IGNORECASE,
)
_GLOB = re.compile(r"\bglob(?:s|bing)?\b")


OwnRoles: TypeAlias = "Mapping[str, tuple[str, ...]]"
# These are never fetched by HTTP, and a rule about hosts cannot decide them.
_OTHER_SCHEME = re.compile(
    r"\b(?:gs|s3a?|abfss?|wasbs?|az|hdfs|dbfs|jdbc:\w+|postgres(?:ql)?|mysql|mongodb|redis|kafka)://"
)
_PLACES = frozenset({"path", "directory", "dir", "folder", "location", "destination"})
_PATH_WORDS = frozenset({"path", "paths", "filepath", "filepaths", "directory", "directories", "dir", "dirs"})
_ATTACHED = frozenset(
    {"attachment", "attachments", "file", "files", "image", "images", "media", "document", "documents"}
)
_OF_FILES_TO = re.compile(r"\bfile ?paths?\b|\bpaths? (?:to|of) (?:\w+ )?files?\b")


@dataclass(frozen=True, kw_only=True)
class ListedTool:
    """A tool as its server describes it. `hints` are the server's own claims, which are not trusted."""

    name: str
    description: str
    schema: Mapping[str, JSON]
    hints: Mapping[str, JSON]


@dataclass(frozen=True, kw_only=True)
class Proposed:
    """The proposed roles of one argument and the reason. `sure` is False if a user should look at it."""

    roles: tuple[str, ...]
    why: str
    sure: bool = True


def propose_roles(server: str, listed: ListedTool) -> dict[str, Proposed]:
    """Return the proposed roles of every argument of a tool, in the order of its schema."""
    does, schema = plain_texts(listed.description, plain_schema(listed.schema))
    listed = replace(listed, description=does, schema=schema)
    arguments = arguments_of(listed)
    bare = Tool(server=server, name=listed.name, args=dict.fromkeys(arguments, RoleSpec(default=("none",))))
    known = known_tool(bare)
    return {name: _proposed(name, schema, known, listed) for name, schema in arguments.items()}


def arguments_of(listed: ListedTool) -> dict[str, Mapping[str, JSON]]:
    """Return the arguments of a tool with their schemas."""
    found = listed.schema.get("properties")
    properties = found if isinstance(found, dict) else {}
    return {name: one if isinstance(one, dict) else {} for name, one in properties.items()}


def _proposed(name: str, schema: Mapping[str, JSON], known: KnownTool, listed: ListedTool) -> Proposed:
    low = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().replace("-", "_")
    words = frozenset(low.split("_"))
    if has_only(schema, "number", "integer", "boolean"):
        return Proposed(roles=("none",), why=f"{name!r} is a number")
    whole = replace(known.tool, comment=listed.description, input_schema=dict(listed.schema))
    if _is_code(low, words, replace(known, tool=whole), _description(listed, name), schema):
        return Proposed(roles=("executes-code",), why=f"{known.tool.name!r} runs what {name!r} contains")
    told = _in_given_files(name, low, known, listed) or _address(name, low, known, listed)
    if told is not None:
        return told
    if low == "remote" and "git" in {*known.server_words, *listed.name.lower().split("_")}:
        return Proposed(roles=("git-remote-url",), why=f"{name!r} of a git tool")
    if low in _BRANCHES:
        return Proposed(roles=("branch-name",), why=f"{name!r} is the name of a branch")
    if low in _PEOPLE or "email" in keyword_values(schema, "format"):
        return Proposed(roles=("email-address",), why=f"{name!r} is a recipient")
    arguments = {one.lower() for one in arguments_of(listed)}
    hosted = "github" in known.server_words
    if low in _OWNERS and (hosted or arguments & _REPOSITORIES):
        return Proposed(roles=("github-owner",), why=f"{name!r} owns a repository")
    if (low in _REPOSITORIES and (hosted or arguments & _OWNERS)) or (low == "name" and "repository" in known.nouns):
        return Proposed(roles=("github-repo",), why=f"{name!r} is a repository")
    remote = bool(arguments & _OWNERS or (arguments & _PROJECTS and arguments & _BRANCHES))
    if _is_path(name, low, known, listed) and not remote:
        return _path(name, low, known, listed)
    return _others(name, low, known, listed)


def _in_given_files(name: str, low: str, known: KnownTool, listed: ListedTool) -> Proposed | None:
    """Return the role of files that a call brings with it, and of the name of one of these. None for others."""
    given = _given_whole(known, listed)
    if not given or (name not in given and low not in _ENTRIES):
        return None
    return Proposed(roles=("none",), why=f"{name!r} has files with their contents, or names one of these")


def _given_whole(known: KnownTool, listed: ListedTool) -> frozenset[str]:
    """Return the arguments with files that are given with their contents to a tool that deploys: `{name, content}`."""
    if known.verbs.isdisjoint({"deploy", "publish"}):
        return frozenset()
    items = {name: schema.get("items") for name, schema in arguments_of(listed).items()}
    fields = {name: one.get("properties") for name, one in items.items() if isinstance(one, dict)}
    return frozenset(
        name for name, one in fields.items() if isinstance(one, dict) and {"name", "content"} <= one.keys() <= _FIELDS
    )


def _path(name: str, low: str, known: KnownTool, listed: ListedTool) -> Proposed:
    told = _description(listed, name)
    if _is_file_name(low, told.lower(), known):
        return Proposed(roles=(FILE_NAME,), why=f"{name!r} is the name of a file, and no path")
    return _if_relative(_as_told(low, _path_roles(low, known, listed), told.lower()), told)


def _address(name: str, low: str, known: KnownTool, listed: ListedTool) -> Proposed | None:
    told = _description(listed, name).lower()
    if _OTHER_SCHEME.search(told) and "http" not in told:
        return Proposed(roles=("none",), why=f"{name!r} is the address of an object store or a database", sure=False)
    if not _is_url(low, frozenset(low.split("_")), arguments_of(listed)[name]):
        return None
    role = "git-remote-url" if "git" in known.server_words or "clone" in known.verbs else "fetch-url"
    return Proposed(roles=(role,), why=f"{name!r} is an address")


def _is_file_name(low: str, told: str, known: KnownTool) -> bool:
    """Return whether an argument names a file that a tool saves at a location set by another argument or the server."""
    beside = any(_PLACES.intersection(split_name(arg)) for arg in known.tool.args)
    named = low in {"filename", "file_name"}
    named = named and (re.search(r"\b(?:file ?)?name\b", told) is not None or (not told and beside))
    told = _IN_OUTPUT.sub("", told)
    return named and _ELSEWHERE.search(told) is None and not _SAVING.isdisjoint({*known.verbs, *known.nouns})


def _is_path(name: str, low: str, known: KnownTool, listed: ListedTool) -> bool:
    """Return whether an argument names a file or a directory of a disk, by its name or by its description."""
    arguments, told = arguments_of(listed), _description(listed, name)
    travels = low in _ENDS and not _JOURNEYS.isdisjoint(map(str.lower, arguments))  # a flight's destination is no path
    travels = travels or (low in _ENDS and _are_words(arguments[name]))  # nor is the source of a lead
    travels = travels or (low in _ENDS and _NO_DISK.search(told) is not None and _ON_DISK.search(told.lower()) is None)
    if travels or (low == "folder" and _is_filed(told, known, listed)):
        return False
    words = frozenset(low.split("_"))
    if low in _PATHS or bool(words & _PATH_WORDS) or (low in _ATTACHED and _OF_FILES_TO.search(told.lower())):
        return True
    return re.search(r"\b(?:absolute|local) (?:file ?)?paths?\b", told.lower()) is not None


def _are_words(schema: Mapping[str, JSON]) -> bool:
    """Return whether a schema lists values, and none of them can be a path."""
    values = schema.get("enum")
    if not isinstance(values, list) or not values:
        return False
    return all(isinstance(one, str) and re.fullmatch(r"[A-Z][\w -]*", one) for one in values)


def _is_filed(told: str, known: KnownTool, listed: ListedTool) -> bool:
    """Return whether a folder is one of a mailbox or the like: nothing indicates that it is on a disk."""
    inside = bool({*known.nouns} & _FILED) and known.verbs.isdisjoint(_TAKES_OUT)
    return inside and _ON_DISK.search(f"{told} {listed.description}".lower()) is None


def _others(name: str, low: str, known: KnownTool, listed: ListedTool) -> Proposed:
    arguments = {one.lower() for one in arguments_of(listed)}
    if low == "message" and "commit" in known.verbs:
        return Proposed(roles=("commit-message",), why="the message of a commit")
    if low in _BODIES and arguments & _PEOPLE:
        return Proposed(roles=("email-body",), why=f"{name!r} is what is sent")
    if "share" in known.verbs and low in {"role", "permission", "access", "visibility"}:
        return Proposed(roles=("share-permission",), why=f"{name!r} says who may do what")
    mentions = re.search(r"\b(?:path|director|folder|url|e-?mail)\b", _description(listed, name).lower())
    if mentions or low == "folder":
        why = f"its description mentions {mentions[0]!r}" if mentions else f"{name!r} seems to be on no disk"
        return Proposed(roles=("none",), why=f"{why}: look at it", sure=False)
    words = frozenset(low.split("_"))
    globs = _GLOB.search(f"{listed.name} {listed.description} {_description(listed, name)}".lower())
    if low in {"pattern", "patterns", "glob", "globs"} and globs and arguments & _PATHS:
        why = f"{name!r} names files elsewhere if it may contain '..' or begin with '/': look at it"
        return Proposed(roles=("none",), why=why, sure=False)
    if words & {"code", "codes"} and words.isdisjoint(_NUMBERED | _ABOUT_CODE) and low != "code":
        why = f"{name!r} is taken for a code that somebody is given; if the tool runs it, its role is executes-code"
        return Proposed(roles=("none",), why=why, sure=False)
    return Proposed(roles=("none",), why="nothing that a policy looks at")


def _far_roles(low: str, known: KnownTool, why: str) -> Proposed | None:
    """Return the role of the path on the other side of an upload or download: its own side is called local."""
    near = low.startswith("local") or not any(one.lower().startswith("local") for one in known.tool.args)
    if near or not known.verbs & {"upload", "download"}:
        return None
    puts = "upload" in known.verbs
    role, done = ("write-path", "puts the file there") if puts else ("read-path", "takes the file from there")
    return Proposed(roles=(role,), why=f"{why}{done}")


def _path_roles(low: str, known: KnownTool, listed: ListedTool) -> Proposed:
    verbs = known.verbs
    why = f"{low!r} is a path, and {listed.name!r} "
    if "git" in known.server_words or listed.name.startswith("git"):
        return _repository_roles(known, why)
    moved = _moved_roles(low, known, why)
    if moved is not None:
        return moved
    if low in {"attachment", "attachments"} and not {*known.nouns} & {"attachment", "attachments"}:
        return Proposed(roles=("read-path",), why=f"{why}attaches it")
    if verbs & {"download", "export", "save"}:
        return Proposed(roles=("write-path",), why=f"{why}saves to it")
    if verbs & {"upload", "import", "send", "attach"} or verbs == frozenset({"share"}):
        return Proposed(roles=("read-path",), why=f"{why}sends it")
    if verbs & _DELETES:
        part = known.head in _OF_FILES and known.head != low
        role, done = ("write-path", f"removes its {known.head}") if part else ("delete-path", "deletes it")
        return Proposed(roles=(role,), why=f"{why}{done}")
    if verbs & {"edit", "append", "update"}:
        return _with_hints(("read-path", "write-path"), f"{why}changes it", listed)
    if verbs & _WRITES:
        return _with_hints(("write-path",), f"{why}writes it", listed)
    if (verbs & _READS and verbs <= _READS | {"stat"}) or ("start" in verbs and "search" in known.nouns):
        return _with_hints(("read-path",), f"{why}reads it", listed)
    return Proposed(roles=_ALL_PATHS, why=f"{why}may do anything with it", sure=False)


def _as_told(low: str, found: Proposed, told: str) -> Proposed:
    """Add the roles that the name or the description of a path implies: `find(filename)` may save what it finds."""
    tells = {
        "write-path": _SAVES.search(told) is not None or not _TARGETS.isdisjoint(low.split("_")),
        "delete-path": _REMOVES.search(told) is not None,
    }
    changes = not {"write-path", "delete-path"}.isdisjoint(found.roles)
    more = tuple(role for role, is_told in tells.items() if is_told and role not in found.roles and not changes)
    why = f"{found.why}, but its description or name tells of {' and '.join(more)}: look at it"
    return Proposed(roles=(*found.roles, *more), why=why, sure=False) if more else found


def _if_relative(found: Proposed, told: str) -> Proposed:
    """Return the roles of a path, to be reviewed if its description mentions relative paths."""
    if _RELATIVE.search(told) is None:
        return found
    why = f"{found.why}; its paths are relative: calls are denied until --base names a workingDirectory"
    return Proposed(roles=found.roles, why=why, sure=False)


def _moved_roles(low: str, known: KnownTool, why: str) -> Proposed | None:
    verbs = known.verbs
    source = low in {"source", "src", "from", "old_path", "from_path", "source_path"}
    target = low in {"destination", "dst", "dest", "to", "new_path", "to_path", "target_path", "destination_path"}
    if verbs & {"move", "mv", "rename"}:
        if source or target:
            return Proposed(roles=("read-path", "delete-path") if source else ("write-path",), why=f"{why}moves it")
        return Proposed(roles=_ALL_PATHS, why=f"{why}moves it")
    if verbs & {"copy", "cp"} and (source or target):
        return Proposed(roles=("read-path",) if source else ("write-path",), why=f"{why}copies it")
    return _far_roles(low, known, why)


def _repository_roles(known: KnownTool, why: str) -> Proposed:
    words = {*known.verbs, *known.nouns}
    if words & {"worktree", "clean"}:
        return Proposed(roles=_ALL_PATHS, why=f"{why}may remove files")
    if words & {"reset", "branch", "tag", "stash", "remote", "prune", *_DELETES}:
        return Proposed(roles=("read-path", "write-history", "delete-history"), why=f"{why}may remove history")
    if words & {"checkout", "switch", "restore"}:
        return Proposed(roles=("read-path", "write-path", "write-history"), why=f"{why}changes its files")
    if words & {"init", "clone"}:
        return Proposed(roles=("write-path",), why=f"{why}makes it")
    if words & {"commit", "add", "merge", "cherry", "rebase", "pull", "fetch"}:
        return Proposed(roles=("read-path", "write-history"), why=f"{why}adds history")
    if words & {"status", "diff", "log", "reflog", "show", "blame", "list", "push"}:
        return Proposed(roles=("read-path",), why=f"{why}reads it")
    return Proposed(
        roles=("read-path", "write-history", "delete-history"), why=f"{why}may change its history", sure=False
    )


def _with_hints(roles: tuple[str, ...], why: str, listed: ListedTool) -> Proposed:
    """Add roles if the server itself states that the tool does more than its name suggests."""
    more = list(roles)
    if listed.hints.get("readOnlyHint") is False and "write-path" not in more:
        more.append("write-path")
    if listed.hints.get("destructiveHint") is True and roles == ("read-path",):
        more.append("delete-path")
    new = ", ".join(more[len(roles) :])
    added = f"; the server says that it changes something: {new}" if new else ""
    return Proposed(roles=tuple(dict.fromkeys(more)), why=f"{why}{added}", sure=not added)


def _is_code(low: str, words: frozenset[str], known: KnownTool, description: str, schema: Mapping[str, JSON]) -> bool:
    named = low in _CODE - {"code"} or bool(words & {"sql", "command", "script"})
    if isinstance(schema.get("enum"), list):
        return False
    if is_sql(low, description) or (not description and is_sql(low, known.tool.comment)):
        return bool(description) or executes_code(known.tool)
    if low in {"code", "program", "script", "input", "stdin"}:
        return executes_code(known.tool)
    asks = low == "query" and executes_code(known.tool)
    if named or asks:
        return asks or not known.reads or bool(words & {"sql", "command"})
    return "code" in words and words.isdisjoint(KINDS_OF_CODES) and _is_program(low, words, known, description, schema)


def _is_program(
    low: str, words: frozenset[str], known: KnownTool, description: str, schema: Mapping[str, JSON]
) -> bool:
    """Return whether an argument with "code" in its name has a program as its value.

    `bay_code` only does if the tool runs code by its name, or if the description of the argument states it.
    """
    if not low.endswith("code"):
        return words.isdisjoint(_ABOUT_CODE)
    longest = schema.get("maxLength")
    if isinstance(longest, int) and longest <= _LONGEST_CODE:
        return False
    if words & _PROGRAMS or _RUN_BY.search(description.lower()):
        return True
    return words.isdisjoint(_NUMBERED) and executes_code(replace(known.tool, args={}))


def _is_url(low: str, words: frozenset[str], schema: Mapping[str, JSON]) -> bool:
    return (
        low in _URLS or bool(words & {"url", "uri"}) or not keyword_values(schema, "format").isdisjoint({"uri", "url"})
    )


def _description(listed: ListedTool, name: str) -> str:
    found = arguments_of(listed).get(name, {}).get("description")
    return found if isinstance(found, str) else ""


def with_own_roles(proposed: Mapping[str, Proposed], own: OwnRoles) -> dict[str, Proposed]:
    """Return proposals with the user's own roles added to the arguments that they are for."""
    found = dict(proposed)
    for role, names in own.items():
        for name in names:
            if name in found:
                before = tuple(one for one in found[name].roles if one != "none")
                why = found[name].why if before else f"you named it a {role}"
                found[name] = Proposed(roles=(*before, role), why=why, sure=found[name].sure or not before)
    return found


def annotations_of(server: str, tools: tuple[ListedTool, ...], own: OwnRoles | None = None) -> dict[str, JSON]:
    """Return the annotations of a server's tools as `--tools` reads them. `x-why` has the reason of each role.

    `own` maps roles of the user to the arguments that have them.
    """
    found: list[JSON] = []
    for one in tools:
        proposed = with_own_roles(propose_roles(server, one), own or {})
        found.append(
            {
                "toolName": one.name,
                "comment": one.description,
                "args": {name: cast("JSON", list(role.roles)) for name, role in proposed.items()},
                "inputSchema": dict(one.schema),
                "x-why": {name: role.why for name, role in proposed.items()},
                "x-look-at": [name for name, role in proposed.items() if not role.sure],
            }
        )
    made: dict[str, JSON] = {"servers": {server: {"tools": found}}}
    if own:
        made["roles"] = {role: f"the value of {' or '.join(names)}" for role, names in own.items()}
    return made
