"""The source of the csharp recipe: one endpoint and its types, named for C#. It contains nothing machine-specific."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Style: TypeAlias = Literal["plain", "connector"]
Ask: TypeAlias = Literal["meaning", "transcript"]
Extra: TypeAlias = Literal["records", "defaults", "context"]

_ADDED = {"added": True}  # marks a key that version 1 did not have


class WithAddedKeys:
    """A part of the source whose added keys are stored only if they differ from their defaults.

    So the source of an older run keeps its content and its hash.
    """

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, build: Callable[[Any], Any]) -> Any:
        """Return pydantic's schema of the class, with a serializer that leaves out added keys."""
        added: dict[str, Any] = {}
        for one in fields(source):
            if one.metadata.get("added"):
                added[one.name] = one.default

        def stored(value: object, whole: Callable[[object], dict[str, Any]]) -> dict[str, Any]:
            content = whole(value)
            for name, default in added.items():
                if getattr(value, name) == default:
                    del content[name]
            return content

        schema = build(source)
        schema["serialization"] = {"type": "function-wrap", "function": stored}
        return schema


@dataclass(frozen=True, kw_only=True)
class CsField:
    """One property of a class.

    - `json_name`: the exact wire name. `name`: the C# property name.
    - `type`: the C# type without its own `?` (element types keep theirs, as in `string?[]`).
    - `types`: the types of the endpoint that `type` mentions.
    - `required`: the schema requires the property.
    - `nullable`: the property is written with `?` and `[Nullable(true)]`, because it can be null or absent on the wire.
    - `attributes`: further attributes without brackets, in order, such as `MinLength(1)`.
    - `notes`: notes for the reviewer (schema.md), never in a prompt.

    A field with `JsonExtensionData` receives the properties without a field of their own. Its `json_name` never occurs
    on the wire.
    """

    json_name: str
    name: str
    type: str
    types: tuple[str, ...] = ()
    required: bool = False
    nullable: bool = False
    description: str = ""
    attributes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class EnumValue(WithAddedKeys):
    """One member of an enum: its exact wire value (an integer in integer enums), C# name and description."""

    value: str | int
    name: str
    description: str = field(default="", metadata=_ADDED)


@dataclass(frozen=True, kw_only=True)
class CsType(WithAddedKeys):
    """One type of the endpoint, which is a unit.

    - `name`: its C# name, used in files, markers, prompts and issues.
    - `key`: the primary key of the root: the key's name, then the JSON names of its properties. Empty if there is none.
    - `integer`: an enum of numbers (no string converter, explicit values).
    - `closed`: the schema forbids additional properties.
    - `origin`: the place in the document, such as `#/components/schemas/Pet`.
    - `page_size`: the number of members on one page of this type, 0 for the endpoint's default.
    - `open`: an enum that keeps values that it does not name: a struct around a string.
    - `attributes`: attributes above the declaration, without brackets (only in the plain style).
    - `base`: the C# name of the base class, "" if there is none.
    - `record`: a class that is declared as a record.

    A root that is not an object on the wire is wrapped in a class (its `origin` ends in ` (wrapped)`, and a note
    explains it): a map has a single `JsonExtensionData` field, anything else a single field `value`.
    """

    name: str
    kind: Literal["class", "enum"]
    is_root: bool = False
    description: str = ""
    fields: tuple[CsField, ...] = ()
    values: tuple[EnumValue, ...] = ()
    integer: bool = False
    closed: bool = False
    key: tuple[str, ...] = ()
    origin: str = ""
    notes: tuple[str, ...] = ()
    page_size: int = 0
    open: bool = field(default=False, metadata=_ADDED)
    attributes: tuple[str, ...] = field(default=(), metadata=_ADDED)
    base: str = field(default="", metadata=_ADDED)
    record: bool = field(default=False, metadata=_ADDED)


@dataclass(frozen=True, kw_only=True)
class Served(WithAddedKeys):
    """One endpoint of a project: its name, such as `GET /pets`, and the C# type that it returns or receives.

    `part` is "" for the body that every project has, else another part of the endpoint, such as `query` or `response`.

    `type` may contain more than the name of a type, as in `Pet[]`. `status` is "" for a request. If the endpoint could
    not be read, `type` is "" and `error` has the reason.
    """

    endpoint: str
    type: str
    status: str = ""
    media_type: str = ""
    error: str = ""
    part: str = field(default="", metadata=_ADDED)


@dataclass(frozen=True, kw_only=True)
class MemberFacts:
    """What the document states about the values of one property: its limits, and every example as JSON."""

    member: str
    format: str = ""
    pattern: str = ""
    min_length: int = 0
    max_length: int = 0
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class TypeFacts:
    """What the document states about one type beyond its C#. `named` is whether the document names it."""

    name: str
    named: bool = False
    members: tuple[MemberFacts, ...] = ()


@dataclass(frozen=True, kw_only=True)
class TypeExample:
    """An example in the document of a type, as JSON. `where` is its place in the document.

    `partial` joins the examples of single properties; required ones may be missing. `contradicts` are the JSON Pointers
    of the places that its own schema does not allow: it proves nothing about the C#.
    """

    type: str
    where: str
    json: str
    partial: bool = False
    contradicts: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class MeaningProposal:
    """One proposal about a type (`member` is "") or one of its members, by JSON name or enum value.

    `value` is a name, a text, a type or a reason, depending on `kind`. `quote` is the part of the document that
    supports it.
    """

    kind: str
    member: str = ""
    value: str = ""
    quote: str = ""


@dataclass(frozen=True, kw_only=True)
class MeaningDecision:
    """A decision about one type (by its unit) or one of its members, which a proposal of a model cannot change.

    `kind` is the kind of the proposal. `accepted` is whether `values` are accepted, or every proposal of this kind for
    the member is refused. `by` is `user`, or `model` for a name that was accepted in an earlier run and is kept.
    """

    type: str
    member: str
    kind: str
    values: tuple[str, ...] = ()
    accepted: bool = True
    by: Literal["user", "model"] = "user"


@dataclass(frozen=True, kw_only=True)
class Endpoint(WithAddedKeys):
    """The source of the csharp recipe: an endpoint and its types, the root first, in a stable order.

    A project has the types of many endpoints, and lists these in `served`. Its `method` is `PROJECT`. `style` selects
    the C# that is written: `plain` (System.Text.Json alone), or `connector` (with the attributes of the connector SDK).
    `changes` are the breaking changes of the last rewrite.

    `ask` is what is requested from a model: the `meaning` alone, as proposals, or a `transcript`, the whole code.
    `facts` and `decisions` are only used with `meaning`.

    `example_first` is whether prompts of the connector style have the example before the task, with its request. Runs
    of version 1 have it after the fields, and keep that.

    `runtime` declares tier 4: the types are executed with System.Text.Json. `examples` are the document's own payloads
    for it.

    `extras` are what the plain style adds on request: `records` instead of classes, `defaults` as attributes, and the
    `context` of the source generator of System.Text.Json in a file of its own.

    `method` is upper case. `label` names the run directory, such as `GET_pets_id`. `notes` are warnings of reading. The
    source contains everything that `plan` needs, including page sizes, so the document itself is not part of it.
    """

    method: str
    path: str
    status: str
    media_type: str
    label: str
    namespace: str
    types: tuple[CsType, ...]
    fields_per_page: int = 8
    values_per_page: int = 30
    notes: tuple[str, ...] = ()
    style: Style = field(default="connector", metadata=_ADDED)
    served: tuple[Served, ...] = field(default=(), metadata=_ADDED)
    changes: tuple[str, ...] = field(default=(), metadata=_ADDED)
    ask: Ask = field(default="transcript", metadata=_ADDED)
    facts: tuple[TypeFacts, ...] = field(default=(), metadata=_ADDED)
    decisions: tuple[MeaningDecision, ...] = field(default=(), metadata=_ADDED)
    example_first: bool = field(default=False, metadata=_ADDED)
    runtime: bool = field(default=False, metadata=_ADDED)
    examples: tuple[TypeExample, ...] = field(default=(), metadata=_ADDED)
    extras: tuple[Extra, ...] = field(default=(), metadata=_ADDED)

    @property
    def kept(self) -> tuple[Style, Ask, bool, tuple[Extra, ...]]:
        """The options that an existing run keeps unless the user names others."""
        return self.style, self.ask, self.runtime, self.extras

    @property
    def root(self) -> CsType:
        """The type that the endpoint returns."""
        return self.types[0]

    @cached_property
    def by_name(self) -> Mapping[str, CsType]:
        """The types by their C# names."""
        return {type_.name: type_ for type_ in self.types}
