"""Joins the answers of all types: their names in each other's code, and the files of the run."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from retouch.engine.types import Issue, Tier
from retouch.recipes.csharp.checking.plain import expected
from retouch.recipes.csharp.language.vocabulary import BUILT_IN_TYPES
from retouch.recipes.csharp.meaning.applying import code_of, renamed, with_meaning, with_new_names
from retouch.recipes.csharp.meaning.edits import derived_classes
from retouch.recipes.csharp.parsing.page import outline
from retouch.recipes.csharp.writing.code import CsCode, Piece
from retouch.recipes.csharp.writing.files import compose, cs_file_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from retouch.engine.options import RunOptions
    from retouch.engine.recipe import Unread
    from retouch.recipes.csharp.ir import CsType, Endpoint, MeaningProposal, Served
    from retouch.recipes.csharp.parsing.outline import TypeOutline

_TAKEN = "PROPOSAL_DROPPED"
_UNDECLARED = "UNDECLARED_TYPE"
_WRONG_TYPE = "WRONG_TYPE"


@dataclass(frozen=True, kw_only=True)
class WholeRun:
    """The result of a run: the source with all accepted proposals, and the code and new name of each type by its unit.

    `marked` is the source that the file is composed from: its types have the names of their units. `dropped` are the
    units whose proposed name another type has. `owners` are the units of the types of `endpoint`, by name.
    """

    endpoint: Endpoint
    marked: Endpoint
    codes: Mapping[str, str]
    names: Mapping[str, str]
    dropped: tuple[str, ...] = ()
    owners: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def names_in_file(self) -> set[str]:
        """The names of all types."""
        return {one.name for one in self.endpoint.types}


def whole_run(endpoint: Endpoint, values: Mapping[str, CsCode | Unread]) -> WholeRun:
    """Return the types of a run with the accepted proposals of all of them.

    The first of two types with the same proposed name gets it; the other keeps the name that code assigned. A type
    without an answer, or whose answer cannot be read, is written by code alone.
    """
    names, dropped = _names(endpoint, values)
    types: list[CsType] = []
    marked: list[CsType] = []
    codes: dict[str, str] = {}
    owners: dict[str, str] = {}
    for type_ in endpoint.types:
        value = values.get(type_.name)
        taken: tuple[MeaningProposal, ...] = value.taken if isinstance(value, CsCode) else ()
        if type_.name in dropped:
            taken = tuple(one for one in taken if one.kind != "name")
        written = [renamed(one, names) for one in with_meaning(endpoint, type_, taken)]
        own = replace(written[0], name=names.get(type_.name, type_.name))
        types += [own, *written[1:]]
        owners |= dict.fromkeys((own.name, *(one.name for one in written[1:])), type_.name)
        marked += [replace(own, name=type_.name), *written[1:]]
        edit = value.text if isinstance(value, CsCode) and value.is_edit else ""
        codes[type_.name] = edit or code_of(endpoint, [own, *written[1:]])
    examples = tuple(replace(one, type=names.get(one.type, one.type)) for one in endpoint.examples)
    final = replace(endpoint, types=tuple(types), served=_served(endpoint, names), examples=examples)
    return WholeRun(
        endpoint=final,
        marked=replace(endpoint, types=tuple(marked)),
        codes=codes,
        names=names,
        dropped=tuple(sorted(dropped)),
        owners=owners,
    )


def _served(endpoint: Endpoint, names: Mapping[str, str]) -> tuple[Served, ...]:
    return tuple(replace(one, type=with_new_names(one.type, names)) for one in endpoint.served)


def _names(endpoint: Endpoint, values: Mapping[str, CsCode | Unread]) -> tuple[dict[str, str], set[str]]:
    """Return the new names by unit, and the units whose proposed name is in use."""
    used = {type_.name for type_ in endpoint.types} | set(_added(endpoint, values))
    names: dict[str, str] = {}
    dropped: set[str] = set()
    for type_ in endpoint.types:
        value = values.get(type_.name)
        if not isinstance(value, CsCode) or value.name in ("", type_.name):
            continue
        if value.name in used and not value.is_edit:
            dropped.add(type_.name)
            continue
        names[type_.name] = value.name
        used.add(value.name)
    return names, dropped


def _added(endpoint: Endpoint, values: Mapping[str, CsCode | Unread]) -> Iterator[str]:
    """Yield the names of the enums that proposals add."""
    for type_ in endpoint.types:
        value = values.get(type_.name)
        if isinstance(value, CsCode) and value.taken:
            yield from (one.name for one in with_meaning(endpoint, type_, value.taken)[1:])


async def check_meaning(endpoint: Endpoint, values: Mapping[str, CsCode], options: RunOptions) -> Iterable[Issue]:
    """Return the issues of the whole run: names that do not fit together, and those of compiling the file."""
    from retouch.recipes.csharp.compilers.check import check_file

    run = whole_run(endpoint, values)
    own = [*_name_issues(run, values), *_reference_issues(endpoint, run, values)]
    if any(issue.is_error for issue in own):
        return own
    codes = {name: CsCode(text=run.codes[name], pieces=(Piece(first=1, page=1, line=1),)) for name in values}
    return [*own, *await check_file(run.marked, codes, compose(run.marked, run.codes), options)]


def _name_issues(run: WholeRun, values: Mapping[str, CsCode]) -> Iterator[Issue]:
    """Yield an issue for each proposed name that was not used, and each manual edit that names what does not exist."""
    for unit in run.dropped:
        message = f"the name {values[unit].name!r} is not used: another type has it"
        yield Issue(code=_TAKEN, message=message, tier=Tier.SEMANTIC, unit=unit, page=1, severity="info")
    declared = {name for code in run.codes.values() for name in _declared(code)}
    known = declared | BUILT_IN_TYPES | {"IOpenEnum", "OpenEnumConverter", "JsonConverter"}
    for unit, value in values.items():
        page = outline(value.text, "type") if value.is_edit else None
        mentioned = {name for one in page.types for prop in one.properties for name in prop.type.names} if page else ()
        for name in sorted({*mentioned} - known):
            fix = "Name the types as the file declares them."
            message = f"the edited code uses {name!r}, which the file does not declare"
            yield Issue(code=_UNDECLARED, message=message, tier=Tier.SEMANTIC, unit=unit, page=1, fix=fix)


def _reference_issues(endpoint: Endpoint, run: WholeRun, values: Mapping[str, CsCode]) -> Iterator[Issue]:
    """Yield an issue for each place where a manual edit has another type of the file than the document."""
    for unit, value in values.items():
        declared = next((one for one in outline(value.text, "type").types if one.name == value.name), None)
        if not value.is_edit or declared is None:
            continue
        wanted = _references(expected(renamed(endpoint.by_name[unit], run.names)))
        seen = _references(declared)
        for place in wanted.keys() & seen.keys():
            right, found = wanted[place] & run.names_in_file, seen[place] & run.names_in_file
            is_known = seen[place] <= run.names_in_file | BUILT_IN_TYPES  # else `_name_issues` has it
            if right and right != found and is_known:
                message = f"the edited code has {', '.join(sorted(found)) or 'no type of the file'} as {place}"
                fix = f"The document has {', '.join(sorted(right))} there."
                yield Issue(code=_WRONG_TYPE, message=message, tier=Tier.SEMANTIC, unit=unit, page=1, fix=fix)


def _references(declared: TypeOutline) -> dict[str, set[str]]:
    """Return the types that a class names, by place: its base, its derived classes, its properties."""
    found = {f"the type of {one.json_name!r}": {*one.type.names} for one in declared.properties if one.json_name}
    derived = {f"the class of the value {value!r}": {name} for value, name in derived_classes(declared).items()}
    return {"the base class": {declared.bases}, **derived, **found}


def _declared(code: str) -> Iterator[str]:
    return (one.name for one in outline(code, "type").types)


def assemble_meaning(endpoint: Endpoint, values: Mapping[str, CsCode | Unread]) -> Mapping[str, str]:
    """Return the files of a run. A type whose answer cannot be read is written by code alone."""
    from retouch.recipes.csharp.writing.schema_md import schema_markdown

    run = whole_run(endpoint, values)
    files = {cs_file_name(endpoint): compose(run.marked, run.codes), "schema.md": schema_markdown(run.endpoint)}
    if endpoint.served:
        from retouch.recipes.csharp.writing.project import project_files

        files |= project_files(run.endpoint)
    return files
