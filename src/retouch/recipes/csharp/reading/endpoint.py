"""Reads an endpoint of a document into the source of the csharp recipe."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING

from retouch.errors import BadInput, UnknownName
from retouch.recipes.csharp.document.bodies import request_content, response_content
from retouch.recipes.csharp.document.document import Document, UnresolvedRef
from retouch.recipes.csharp.document.labels import endpoint_labels, plain_label
from retouch.recipes.csharp.ir import CsType, Endpoint
from retouch.recipes.csharp.language.vocabulary import KEYWORDS, USED_NAMESPACES
from retouch.recipes.csharp.naming.identifiers import pascal
from retouch.recipes.csharp.naming.places import given_name, named_types
from retouch.recipes.csharp.reading.catalogue import find_endpoint
from retouch.recipes.csharp.reading.fields import long_times_of
from retouch.recipes.csharp.reading.keys import KEY_NAME, chosen_key, fields_with_key
from retouch.recipes.csharp.reading.plain import PlainTypeWriter
from retouch.recipes.csharp.reading.root import Root, root_of
from retouch.recipes.csharp.reading.style_closure import closure_of
from retouch.recipes.csharp.reading.types import TypeWriter
from retouch.recipes.csharp.shapes.schemas import Schemas, component_schemas

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from retouch.recipes.csharp.document.bodies import Content
    from retouch.recipes.csharp.document.nodes import DocumentNode
    from retouch.recipes.csharp.document.operations import Operation
    from retouch.recipes.csharp.ir import Ask, Extra, Style
    from retouch.recipes.csharp.reading.hierarchies import ChosenHierarchies
    from retouch.recipes.csharp.reading.parts import Included
    from retouch.recipes.csharp.shapes.shape import Body


LONGEST_TITLE = 40  # characters of a title that becomes a name
_UNION = frozenset({"oneOf", "anyOf"})
_MOST_NESTED_LISTS = 16  # `root_of` reports a list of itself


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """How an endpoint is read.

    - `status` and `media_type` select another body than the lowest 2xx with JSON.
    - `request` reads the request body.
    - `schema` reads a schema instead of an endpoint: a component's name or a JSON pointer.
    - `unwrap` names the property of an envelope that holds the records (`data`, or `result.items`).
    - `key` lists the JSON names of the primary key.
    - `style` selects the C# that is written: `plain`, or `connector` for the connector SDK.
    - `ask` selects what is requested from a model: proposals about the `meaning`, or a `transcript` of the code.
    - `include` adds other parts of the endpoints of a project than one body: the request, the responses of every
      status, the parameters, or the headers.
    - `extras` are what the plain style adds: `records`, `defaults`, `context`.
    - `runtime` declares tier 4, which executes the types, and collects the document's examples for it.
    """

    status: str | None = None
    media_type: str | None = None
    request: bool = False
    unwrap: str | None = None
    namespace: str | None = None
    key: tuple[str, ...] = ()
    fields_per_page: int = 8
    values_per_page: int = 30
    schema: str | None = None
    style: Style = "plain"
    ask: Ask = "transcript"
    runtime: bool = False
    include: tuple[Included, ...] = ()
    extras: tuple[Extra, ...] = ()

    @property
    def asked(self) -> tuple[Ask, bool]:
        """What is requested from a model, and whether the types are executed."""
        return self.ask, self.runtime


_DEFAULTS = ReadingOptions()


@dataclass(frozen=True, kw_only=True)
class _Place:
    """The location of the endpoint's schema, and the endpoint's names."""

    method: str
    path: str
    status: str
    media_type: str
    label: str
    schema: DocumentNode


def read_endpoint(document: Document, name: str, options: ReadingOptions = _DEFAULTS) -> Endpoint:
    """Return the endpoint `GET /path` with all types that it uses, named for C#.

    Raises:
        UnknownName: no such endpoint, status, schema, property to unwrap or key.
        UnresolvedRef: the root schema is a reference that has no target, is circular, or is on another machine.
        BadInput: the endpoint has no JSON body, the key's properties cannot form one, or an option is invalid.
    """
    check_options(options)
    place = _schema_place(document, options) if options.schema else _operation_place(document, name, options)
    expect_resolved(document, place.schema)
    schemas = document.once(Schemas)
    root, plain = root_of(schemas, place.schema, path=place.path, unwrap=options.unwrap), options.style == "plain"
    closure, hierarchies = closure_of(document, [root.body], plain=plain)
    names = named_types([*map(attrgetter("home"), closure)], root_name=root.name, plain=plain)
    if plain:
        write = plain_writer(schemas, names, hierarchies, options, (closure, [place.schema])).write
    else:
        write = partial(document.once(TypeWriter).write, names=names, is_request=options.request)
    types, key_note = _with_key(root, [write(body, is_root=body is root.body) for body in closure], options)
    endpoint = Endpoint(
        method=place.method,
        path=place.path,
        status=place.status,
        media_type=place.media_type,
        label=place.label,
        namespace=options.namespace or (plain_namespace(document) if plain else _default_namespace(root.name)),
        types=types,
        fields_per_page=options.fields_per_page,
        values_per_page=options.values_per_page,
        notes=(*root.notes, *(() if plain else key_note), *document.notes),
        style=options.style,
        extras=options.extras if plain else (),
        example_first=not plain,
    )
    if options.asked == ("transcript", False):
        return endpoint
    from retouch.recipes.csharp.reading.examples import with_facts_and_examples

    return with_facts_and_examples(endpoint, document, names, closure, [place.schema], hierarchies, options.asked)


def plain_writer(
    schemas: Schemas,
    names: Mapping[str, str],
    hierarchies: ChosenHierarchies | None,
    options: ReadingOptions,
    read: tuple[Sequence[Body], Sequence[DocumentNode]],
) -> PlainTypeWriter:
    """Return what writes the types of the plain style. `names` are the C# names by place.

    `read` are the bodies of the types, and the schemas of the requests or responses that use them.
    """
    absent: Collection[tuple[str, str]] = ()
    for body in read[0]:  # a loop without a call: this runs before every first model call
        if isinstance(body.home.value, dict) and not _UNION.isdisjoint(body.home.value):
            from retouch.recipes.csharp.reading.absent_members import members_absent_from_examples

            absent = members_absent_from_examples(schemas, *read)
            break
    return PlainTypeWriter(
        names=names,
        of=schemas.of,
        unions=schemas.alternatives,
        hierarchies=hierarchies,
        is_request=options.request,
        is_both="request" in options.include,
        extras=options.extras,
        long_times=long_times_of(schemas.document) if schemas.document.has_long_times else (),
        absent=absent,
    )


def expect_resolved(document: Document, schema: DocumentNode) -> None:
    """Check that the root's own references can be resolved. Unresolved references inside of it only give notes.

    Raises:
        UnresolvedRef: there would be nothing to make a class from.
    """
    node = document.follow(schema)
    for _ in range(_MOST_NESTED_LISTS):
        if not isinstance(node.value, dict) or "items" not in node.value:
            return
        node = document.under(node, "items")


def check_options(options: ReadingOptions) -> None:
    """Check page sizes and the namespace.

    Raises:
        BadInput: one of them cannot be used.
    """
    if min(options.fields_per_page, options.values_per_page) < 1:
        raise BadInput("a page has at least one field or value", hint="Choose page sizes of 1 or more.")
    if options.namespace is None:
        return
    parts = options.namespace.split(".")
    problems = [f"{part!r} is not a valid name" for part in parts if not part.isidentifier() or part in KEYWORDS]
    problems += [f"{part!r} would hide a namespace that the file uses" for part in parts[1:] if part in USED_NAMESPACES]
    if problems:
        raise BadInput(
            f"{options.namespace!r} cannot be the namespace: {problems[0]}", hint="Write it like Connector.App.v1.Pets."
        )


def plain_namespace(document: Document) -> str:
    """Return the namespace of a document's types in the plain style: from its title, else from its file's name."""
    info = document.root.value.get("info") if isinstance(document.root.value, dict) else None
    title = info.get("title") if isinstance(info, dict) else None
    name = pascal(title if isinstance(title, str) and title.strip() else document.path.stem)
    short = name if len(name) <= LONGEST_TITLE else pascal(document.path.stem)[:LONGEST_TITLE]
    return f"{short}Api.Models" if short in USED_NAMESPACES else f"{short}.Models"


def _default_namespace(object_name: str) -> str:
    """Return the namespace for an object. If its last part would hide a namespace in use, it gets `Objects`."""
    return f"Connector.App.v1.{object_name}{'Objects' if object_name in USED_NAMESPACES else ''}"


def _with_key(root: Root, types: list[CsType], options: ReadingOptions) -> tuple[tuple[CsType, ...], tuple[str, ...]]:
    """Return the types, with the key of the root and its notes, and a note if there is no key."""
    enums = {cs_type.name for cs_type in types if cs_type.kind == "enum"}
    key, why = options.key, f"key: {', '.join(options.key)}, chosen by option"
    if not key:
        found, why = chosen_key(types[0].fields, object_name=root.name, enums=enums)
        key = (found,) if found else ()
    fields = types[0].fields
    if options.key or options.style == "connector":  # a key that was chosen here needs no change in the plain style
        fields = fields_with_key(fields, key, enums=enums)
    notes = (*root.notes, *types[0].notes, why)
    types[0] = replace(types[0], key=(KEY_NAME, *key) if key else (), fields=fields, notes=notes)
    return tuple(types), () if key else (why,)


def body_of(document: Document, operation: Operation, options: ReadingOptions) -> tuple[Content, DocumentNode]:
    """Return the content of the request or response that the options select, and its schema.

    Raises:
        BadInput: there is no JSON body.
    """
    if options.request:
        content = request_content(document, operation, media_type=options.media_type)
    else:
        content = response_content(document, operation, status=options.status, media_type=options.media_type)
    if content.schema is None:
        what = "request" if options.request else f"response {content.status or '2xx'!r}"
        seen = ", ".join(content.others)
        hint = f"It has {seen}. Choose one with --media-type." if seen else "Choose another status, or --request-body."
        wanted = options.media_type or "JSON"
        raise BadInput(f"the {what} of {operation.name} has no {wanted} body", hint=hint)
    return content, content.schema


def _operation_place(document: Document, name: str, options: ReadingOptions) -> _Place:
    operation = find_endpoint(document, name)
    content, schema = body_of(document, operation, options)
    label = document.once(endpoint_labels)[operation.method, operation.path]
    return _Place(
        method=operation.method,
        path=operation.path,
        status=content.status,
        media_type=content.media_type,
        label=label + ("_request" if options.request else ""),
        schema=schema,
    )


def _schema_place(document: Document, options: ReadingOptions) -> _Place:
    wanted = options.schema or ""
    named = dict(component_schemas(document).entries())
    if wanted in named:
        schema = named[wanted]
    elif "#" in wanted:
        try:
            schema = document.target(document.root, wanted)
        except UnresolvedRef as problem:
            raise UnknownName(f"no schema {wanted!r}", hint=problem.message) from None
    else:
        near = difflib.get_close_matches(wanted, named, n=5, cutoff=0.3) or list(named)[:5]
        raise UnknownName(f"no schema {wanted!r} among {len(named)}", hint=f"Nearest: {', '.join(near)}.")
    name = given_name(schema)
    return _Place(
        method="SCHEMA", path=f"/{name}", status="", media_type="", label=plain_label("SCHEMA", name), schema=schema
    )
