"""Reads policies, annotations and lists. Every error is reported with its path in the file."""

from __future__ import annotations

import re
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, TypeVar, cast

from pydantic import BaseModel, ValidationError

from retouch.errors import BadInput
from retouch.recipes.policy.language import values
from retouch.recipes.policy.language.conversion import list_def_of, resolved_of, rule_of, spec_of
from retouch.recipes.policy.language.forms import AnnotationsForm, ListsForm, PolicyForm, ServerForm, undeclared_role
from retouch.recipes.policy.language.strict_json import read_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON

M = TypeVar("M", bound=BaseModel)
POLICY_NAMES = ("policy.json", "compiled-policy.json")
ANNOTATION_NAMES = ("tool-annotations.json", "annotations.json")
MAX_LISTED = 20
_AN_OBJECT = re.compile(r"a valid dictionary( or instance of \w+)?")
NO_SEMANTICS = (
    "it does not name its semantics, so the public engine's version 1 is used, which allows more; write 'semantics': 3"
)


class PolicyFields(TypedDict):
    """The fields of a policy, as in `Policy`."""

    rules: tuple[values.Rule, ...]
    tools: Mapping[tuple[str, str], values.Tool]
    home: str
    semantics: int
    time_zone: str | None
    roles: Mapping[str, str]
    working_directory: str | None
    allowed_directory: str | None
    protected_paths: tuple[str, ...]
    servers: Mapping[str, values.Server]
    list_defs: tuple[values.ListDef, ...]
    lists: Mapping[str, values.ResolvedList] | None
    source_hash: str | None
    input_hash: str | None
    engine_version: str | None
    verified: bool
    verified_hash: str | None
    doubts: tuple[str, ...]
    skipped: tuple[values.ServerNote, ...]
    failed: tuple[values.ServerNote, ...]


def read_policy(path: str | Path, *, common: str | Path | None = None, home: str | None = None) -> PolicyFields:
    """Return the fields of a stored policy. See `Policy.load`.

    Raises:
        BadInput: it cannot be read. The message lists every error with its path in the file.
    """
    file = _policy_file(Path(path))
    form = checked(PolicyForm, read_json(file), name=str(file))
    annotations, source = _annotations_of(form, file, common)
    return _fields(form, annotations, source, lists=_lists_of(form, file), home=home)


def policy_in(value: JSON, *, name: str) -> PolicyFields:
    """Return the fields of a self-contained policy, as written by `Policy.as_json`.

    Raises:
        BadInput: it has another shape, or no annotations. The message uses `name` for the policy.
    """
    form = checked(PolicyForm, value, name=name)
    if form.annotations is None:
        raise BadInput(f"{name!r} has no annotations", hint="Add the roles of each argument under 'annotations'.")
    lists = None if form.dynamic_lists is None else {key: resolved_of(one) for key, one in form.dynamic_lists.items()}
    return _fields(form, form.annotations, name, lists=lists, home=None)


def _fields(
    form: PolicyForm,
    annotations: AnnotationsForm,
    source: str,
    *,
    lists: Mapping[str, values.ResolvedList] | None,
    home: str | None,
) -> PolicyFields:
    wrong = undeclared_role((role for one in form.rules for role in one.when.named_roles), annotations.roles)
    if wrong:
        raise BadInput(f"a rule cannot be used: {wrong}", hint="Correct the name, or declare the role.")
    rules, tools = tuple(rule_of(one) for one in form.rules), tools_in(annotations, name=source)
    _expect_known_earlier(rules, tools)
    return PolicyFields(
        rules=rules,
        tools=tools,
        roles=annotations.roles,
        home=_home(form.home or home),
        semantics=form.semantics or 1,
        time_zone=form.time_zone,
        working_directory=form.working_directory,
        allowed_directory=form.allowed_directory,
        protected_paths=tuple(form.protected_paths),
        servers=_servers(form),
        list_defs=tuple(list_def_of(one) for one in form.list_definitions),
        lists=lists,
        source_hash=form.source_hash or form.constitution_hash,
        input_hash=form.input_hash,
        engine_version=form.engine_version,
        verified=form.verified,
        verified_hash=form.verified_hash,
        doubts=() if form.semantics is not None else (NO_SEMANTICS,),
        skipped=tuple(values.ServerNote(server=one.server, reason=one.reason) for one in form.skipped),
        failed=tuple(values.ServerNote(server=one.server, reason=one.reason) for one in form.failed),
    )


def _expect_known_earlier(rules: Sequence[values.Rule], tools: Mapping[tuple[str, str], values.Tool]) -> None:
    """Refuse a test of what was called before that names no tool of its server: it could never hold.

    Raises:
        BadInput: a tool or an argument is not known.
    """
    found = ((rule.name, *one) for rule in rules for one in unknown_earlier(rule, tools))
    for name, problem, hint in found:
        raise BadInput(f"a rule cannot be used: rule {name!r}: {problem}", hint=hint)


def unknown_earlier(rule: values.Rule, tools: Mapping[tuple[str, str], values.Tool]) -> Iterator[tuple[str, str]]:
    """Yield what the tests of a rule about what was called before name and no tool has, each with the next step."""
    for limit in rule.when.afters:
        after = limit.after or values.EarlierTools(tools=())
        for key in ((server, tool) for server in rule.when.server or () for tool in after.tools):
            known = sorted(name for server, name in tools if server == key[0])
            if key not in tools:
                close = get_close_matches(key[1], known, n=1)
                hint = f"Did you mean {close[0]!r}?" if close else f"Its tools are: {', '.join(known) or 'none'}."
                yield f"'after' names {key[1]!r}, which is no tool of {key[0]!r}", hint
                continue
            wanted = [*(other for _, other in after.same), *(one.arg for one in after.where if one.arg is not None)]
            for arg in (one for one in wanted if one not in tools[key].args):
                hint = f"Its arguments are: {', '.join(tools[key].args) or 'none'}."
                yield f"the earlier tool {key[1]!r} has no argument {arg!r}", hint
        for own, _ in after.same:
            for tool in (tool for key, tool in tools.items() if rule.when.is_about(*key) and own not in tool.args):
                hint = f"Its arguments are: {', '.join(tool.args) or 'none'}. Write one rule for each kind of tool."
                yield f"its tool {tool.name!r} has no argument {own!r} to compare with the earlier call", hint


def checked(form: type[M], value: JSON, *, name: str) -> M:
    """Return `value` as a `form`.

    Raises:
        BadInput: it does not have that shape. Every error is listed with its path.
    """
    try:
        return form.model_validate(value)
    except ValidationError as error:
        found = [
            f"{_place(one['loc'])}: {_error_text(one['msg'], cast('object', one['input']))}" for one in error.errors()
        ]
        shown = found[:MAX_LISTED] + ([f"and {len(found) - MAX_LISTED} more"] if len(found) > MAX_LISTED else [])
        message = "\n".join((f"{name!r} cannot be used, errors: {len(found)}", *(f"  {line}" for line in shown)))
        raise BadInput(message, hint="Correct these errors, then try again.") from error


def read_tools(path: Path) -> Mapping[tuple[str, str], values.Tool]:
    """Return the annotated tools of a file by (server, tool).

    Raises:
        BadInput: it cannot be read, or a tool is duplicated.
    """
    return tools_in(checked(AnnotationsForm, read_json(path), name=str(path)), name=str(path))


def read_lists(path: Path) -> Mapping[str, values.ResolvedList]:
    """Return the lists of a file by name: an object with `lists`, or the lists alone.

    Raises:
        BadInput: it cannot be read, or has another shape.
    """
    value = read_json(path)
    whole: JSON = value if isinstance(value, dict) and "lists" in value else {"lists": value}
    return {name: resolved_of(one) for name, one in checked(ListsForm, whole, name=str(path)).lists.items()}


def tools_in(form: AnnotationsForm, *, name: str) -> Mapping[tuple[str, str], values.Tool]:
    """Return the tools of validated annotations. Messages use `name` for the file.

    Raises:
        BadInput: a tool is duplicated, or is listed under a server that is not its own.
    """
    found: dict[tuple[str, str], values.Tool] = {}
    for server, entry in form.servers.items():
        for one in entry.tools:
            key = (server, one.tool_name)
            if key in found or one.server_name not in {None, server}:
                why = "occurs twice" if key in found else f"has the server {one.server_name!r}"
                raise BadInput(f"{name!r}: tool {server}/{one.tool_name} {why}", hint="Keep one annotation per tool.")
            args = {arg: spec_of(spec) for arg, spec in one.args.items()}
            found[key] = values.Tool(
                server=server, name=one.tool_name, args=args, comment=one.comment, input_schema=one.input_schema
            )
    return found


def _policy_file(path: Path) -> Path:
    if not path.is_dir():
        return path
    for name in POLICY_NAMES:
        if (path / name).is_file():
            return path / name
    hint = "Pass the file itself, or a directory that contains one of them."
    raise BadInput(f"{str(path)!r} contains neither {' nor '.join(map(repr, POLICY_NAMES))}", hint=hint)


def _home(given: str | None) -> str:
    if given is not None and not given.startswith("/"):
        raise BadInput(f"the home {given!r} is not an absolute path", hint="Pass an absolute path.")
    return given if given is not None else str(Path.home())


def _annotations_of(form: PolicyForm, file: Path, common: str | Path | None) -> tuple[AnnotationsForm, str]:
    """Return the annotations of a policy, and the name of the file that has them."""
    if form.annotations is not None:
        return form.annotations, str(file)
    reference = form.annotations_ref
    shared = None if common is None else Path(common)
    if reference is None:
        local_files = [file.parent / name for name in ANNOTATION_NAMES]
        common_files = (
            [] if shared is None else [shared / name for name in ("annotations-real.json", *ANNOTATION_NAMES)]
        )
        known = [path for path in (*local_files, *common_files) if path.is_file()]
    else:
        names = (f"{reference}.json", f"annotations-{reference.removesuffix('-annotations')}.json")
        folders = [folder for folder in (shared, file.parent) if folder is not None]
        known = [folder / name for folder in folders for name in names if (folder / name).is_file()]
    if known:
        return checked(AnnotationsForm, read_json(known[0]), name=str(known[0])), str(known[0])
    what = f"refers to the annotations {reference!r}" if reference else "has no annotations"
    where = (
        "they are not in its directory"
        if shared is None
        else f"they are neither in its directory nor in {str(shared)!r}"
    )
    hint = "Pass the directory of the annotations: common=... in Python, --common DIR on the command line."
    raise BadInput(f"{str(file)!r} {what}, and {where}", hint=hint)


def _lists_of(form: PolicyForm, file: Path) -> Mapping[str, values.ResolvedList] | None:
    found = form.dynamic_lists
    lists_file = file.parent / "dynamic-lists.json"
    if found is None and file.name in POLICY_NAMES and lists_file.is_file():
        found = checked(ListsForm, read_json(lists_file), name=str(lists_file)).lists
    return None if found is None else {name: resolved_of(one) for name, one in found.items()}


def _servers(form: PolicyForm) -> Mapping[str, values.Server]:
    declared = _USUAL if form.servers is None else form.servers
    found: dict[str, values.Server] = {}
    for name in dict.fromkeys((*declared, *form.server_domain_allowlists, *form.trusted_servers)):
        one = declared.get(name, ServerForm())
        allowlist = form.server_domain_allowlists.get(name, one.domain_allowlist)
        found[name] = values.Server(
            name=name,
            sandboxed=one.sandboxed,
            piecewise=one.piecewise,
            introspection=tuple(one.introspection),
            domain_allowlist=None if allowlist is None else tuple(allowlist),
            trusted=one.trusted or name in form.trusted_servers,
            default_remote_arg=one.default_remote_arg,
        )
    return found


# The defaults for a file that declares no servers. The public engine has the same.
_USUAL = {
    "filesystem": ServerForm(sandboxed=True, piecewise=True, introspection=["list_allowed_directories"]),
    "git": ServerForm.model_validate({"sandboxed": True, "defaultRemoteArg": "path"}),
}


def _place(location: tuple[int | str, ...]) -> str:
    return "$" + "".join(f"[{one}]" if isinstance(one, int) else f".{one}" for one in location)


def _error_text(message: str, seen: object) -> str:
    text = _AN_OBJECT.sub("an object", message.removeprefix("Value error, "))
    return text if isinstance(seen, (dict, list)) else f"{text}, not {seen!r:.80}"
