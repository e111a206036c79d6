"""Reads many endpoints of a document into one source: each schema once, and the endpoints as an index."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.errors import BadInput, RetouchError
from retouch.recipes.csharp.document.nodes import tokens_of
from retouch.recipes.csharp.ir import CsField, CsType, Endpoint, Served, TypeFacts
from retouch.recipes.csharp.naming.identifiers import pascal, type_names
from retouch.recipes.csharp.naming.places import below, given_name, is_named, path_name
from retouch.recipes.csharp.reading.catalogue import find_endpoint
from retouch.recipes.csharp.reading.closure import plain_closure
from retouch.recipes.csharp.reading.endpoint import (
    LONGEST_TITLE,
    body_of,
    check_options,
    expect_resolved,
    plain_namespace,
    plain_writer,
)
from retouch.recipes.csharp.reading.field_types import field_type
from retouch.recipes.csharp.reading.parts import EndpointPart, included_parts, main_content
from retouch.recipes.csharp.reading.style_closure import closure_of
from retouch.recipes.csharp.shapes.schemas import Schemas

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from retouch.recipes.csharp.document.document import Document
    from retouch.recipes.csharp.document.nodes import DocumentNode
    from retouch.recipes.csharp.document.operations import Operation
    from retouch.recipes.csharp.reading.endpoint import ReadingOptions
    from retouch.recipes.csharp.reading.hierarchies import ChosenHierarchies
    from retouch.recipes.csharp.shapes.shape import Body

PROJECT = "PROJECT"
_TITLE = re.compile(r"[A-Za-z][\w .-]*")


def read_project(document: Document, names: Sequence[str], options: ReadingOptions, *, merge: bool = False) -> Endpoint:
    """Return one source with the types of all named endpoints, each schema once, in the plain style.

    An endpoint that cannot be read is listed in `served` with its error, and the other endpoints are read. `merge`
    makes one type of those that are identical in everything but their names and descriptions.

    Raises:
        BadInput: no endpoint has a type, or an option does not apply to a project.
    """
    check_options(options)
    bodies, refused = _bodies(document, names, options)
    reached, hierarchies = closure_of(document, _roots(document, bodies))
    given = {place: name for body in bodies for place, name in body.names}
    cs_names = _names(reached, given | {body.schema.place: body.name for body in bodies})
    types = _types(document, reached, cs_names, hierarchies, options, [body.schema for body in bodies])
    if not types:
        raise _without_types(document, len(names), refused)
    namespace = options.namespace or plain_namespace(document)
    order = {name: place for place, name in enumerate(names)}
    project = Endpoint(
        method=PROJECT,
        path=namespace,
        status="",
        media_type="",
        label=namespace if options.namespace else namespace.partition(".")[0],
        namespace=namespace,
        types=tuple(sorted(types, key=lambda one: one.name)),
        fields_per_page=options.fields_per_page,
        values_per_page=options.values_per_page,
        notes=tuple(document.notes),
        style="plain",
        extras=options.extras,
        served=tuple(sorted([*_index(document, bodies, cs_names), *refused], key=lambda one: order[one.endpoint])),
    )
    if options.ask == "meaning" or options.runtime:
        from retouch.recipes.csharp.reading.examples import with_facts_and_examples

        schemas = [body.schema for body in bodies]
        project = with_facts_and_examples(project, document, cs_names, reached, schemas, hierarchies, options.asked)
    return merged(project) if merge else project


def _types(
    document: Document,
    reached: Sequence[Body],
    names: Mapping[str, str],
    hierarchies: ChosenHierarchies | None,
    options: ReadingOptions,
    read: Sequence[DocumentNode],
) -> list[CsType]:
    writer = plain_writer(document.once(Schemas), names, hierarchies, options, (reached, read))
    return [writer.write(type_, is_root=False) for type_ in reached]


def _without_types(document: Document, number: int, refused: Sequence[Served]) -> BadInput:
    first = next((one.error for one in refused if one.error), "none has an object or an enum in its JSON body")
    hint = "'retouch csharp endpoints' lists the endpoints."
    return BadInput(f"there is no type in the {number} endpoints of {document.path.name!r}: {first}", hint=hint)


def _roots(document: Document, bodies: Sequence[EndpointPart]) -> list[Body]:
    """Return the classes and enums of each body."""
    every_union = document.once(plain_closure)
    return [root for body in bodies for root in every_union.types_of(body.schema)]


def _index(document: Document, bodies: Sequence[EndpointPart], cs_names: Mapping[str, str]) -> list[Served]:
    """Return the C# type of each body."""
    schemas = document.once(Schemas)
    return [
        Served(
            endpoint=body.endpoint,
            type=field_type(schemas.of(body.schema), cs_names, schemas.of, unions=schemas.alternatives).text,
            status=body.status,
            media_type=body.media_type,
            part=body.part,
        )
        for body in bodies
    ]


def _bodies(
    document: Document, names: Sequence[str], options: ReadingOptions
) -> tuple[list[EndpointPart], list[Served]]:
    """Return the bodies of the endpoints, and an entry with the error for each that cannot be read."""
    bodies: list[EndpointPart] = []
    refused: list[Served] = []
    for name in names:
        try:
            bodies += _parts(document, find_endpoint(document, name), options)
        except RetouchError as error:
            refused.append(Served(endpoint=name, type="", error=error.message))
    return bodies, refused


def _parts(document: Document, operation: Operation, options: ReadingOptions) -> Iterator[EndpointPart]:
    """Yield the body of an endpoint, and the parts that the options include."""
    if not options.include or options.request or options.status or main_content(document, operation) is not None:
        yield _body(document, operation, options)
    for part in included_parts(document, operation, _own_name(operation), options.include):
        expect_resolved(document, part.schema)
        if not (options.request and part.part == "request"):
            yield part


def _own_name(operation: Operation) -> str:
    """Return the beginning of the names of the types of an endpoint: its `operationId`, or its method and path."""
    given = operation.node.value.get("operationId") if isinstance(operation.node.value, dict) else None
    if isinstance(given, str) and given.strip():
        return pascal(given)
    return pascal(f"{operation.method.lower()} {_path_words(operation.path)}")


def _body(document: Document, operation: Operation, options: ReadingOptions) -> EndpointPart:
    content, schema = body_of(document, operation, options)
    expect_resolved(document, schema)
    return EndpointPart(
        endpoint=operation.name,
        name=pascal(f"{_own_name(operation)} {'Request' if options.request else 'Response'}"),
        schema=schema,
        status="" if options.request else content.status,
        media_type=content.media_type,
    )


def _path_words(path: str) -> str:
    return path_name(path, single=False)


def _names(bodies: Iterable[Body], roots: Mapping[str, str]) -> dict[str, str]:
    """Return the C# names of all types by place. Those that the document names come first and keep their names."""
    homes = sorted((body.home for body in bodies), key=lambda home: (not is_named(home), home.place))
    return type_names([(home.place, _wanted(home, roots)) for home in homes], plain=True)


def _wanted(home: DocumentNode, roots: Mapping[str, str]) -> str:
    if is_named(home):
        return given_name(home)
    title = home.value.get("title") if isinstance(home.value, dict) else None
    if isinstance(title, str) and len(title) <= LONGEST_TITLE and _TITLE.fullmatch(title.strip()):
        return pascal(title)
    place = home.place
    while place:
        if place in roots:
            return below(roots[place], tokens_of(home.place[len(place) :]))
        place = place.rpartition("/")[0]
    return given_name(home)


def merged(project: Endpoint) -> Endpoint:
    """Return the project with one type instead of several that are equal in everything but name and description.

    The one with the shortest name stays.
    """
    types = list(project.types)
    into: dict[str, str] = {}
    while True:
        groups: dict[object, list[CsType]] = {}
        for type_ in types:
            groups.setdefault(_content(type_), []).append(type_)
        twins = {
            other.name: best.name
            for group in groups.values()
            if len(group) > 1
            for best in [min(group, key=lambda one: (len(one.name), one.name))]
            for other in group
            if other is not best
        }
        if not twins:
            break
        into = {name: twins.get(kept, kept) for name, kept in into.items()} | twins
        types = [_renamed(type_, twins) for type_ in types if type_.name not in twins]
    served = tuple(replace(one, type=_with_names(one.type, into)) for one in project.served)
    examples = tuple(replace(one, type=into.get(one.type, one.type)) for one in project.examples)
    note = (f"merged: {len(into)} types that are identical to another",) if into else ()
    return replace(
        project,
        types=tuple(types),
        served=served,
        notes=(*project.notes, *note),
        facts=_merged_facts(project, into),
        examples=examples,
    )


def _merged_facts(project: Endpoint, into: Mapping[str, str]) -> tuple[TypeFacts, ...]:
    """Return the facts of the types that stay, with those of the types that are identical to them."""
    if not project.facts:
        return ()
    from retouch.recipes.csharp.reading.facts import with_members_of

    return tuple(
        with_members_of(one, [other for other in project.facts if into.get(other.name) == one.name])
        for one in project.facts
        if one.name not in into
    )


def _content(type_: CsType) -> object:
    """Return what two identical types share: everything but name, description, origin and notes."""
    own = {type_.name: "\0"}
    fields = tuple(
        (one.json_name, one.name, _with_names(one.type, own), one.required, one.nullable, one.attributes)
        for one in type_.fields
    )
    values = tuple((type(one.value), one.value, one.name) for one in type_.values)
    own_place = type_.name if type_.attributes or type_.base else ""  # a class of a hierarchy is not another one
    return type_.kind, type_.integer, type_.open, type_.closed, own_place, fields, values


def _renamed(type_: CsType, names: Mapping[str, str]) -> CsType:
    if not any(name in names for field in type_.fields for name in field.types):
        return type_
    return replace(type_, fields=tuple(_renamed_field(field, names) for field in type_.fields))


def _renamed_field(field: CsField, names: Mapping[str, str]) -> CsField:
    types = tuple(names.get(name, name) for name in field.types)
    return replace(field, type=_with_names(field.type, names), types=types)


def _with_names(text: str, names: Mapping[str, str]) -> str:
    return re.sub(r"\w+", lambda word: names.get(word[0], word[0]), text)
