"""What the csharp job works from: one endpoint's closure of types, named for C#; nothing in it is machine-specific."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, kw_only=True)
class CsField:
    """One property of a class.

    `json_name` is the exact wire name; `name` the C# property name; `type` the C# type without its own `?`
    (element types keep theirs, as in `string?[]`); `types` names the closure's types that `type` mentions.
    `nullable` says that the property is written with `?` and `[Nullable(true)]`: null is allowed on the wire, or the
    property may be absent. `required` is the schema's word. `attributes` are further attributes as they are written
    between brackets, in order, such as `MinLength(1)`. `notes` are for the reviewer (schema.md), never in a prompt.
    A field with `JsonExtensionData` holds what no other field takes: its `json_name` never stands on the wire.
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
class EnumValue:
    """One member of an enum: its exact wire value (a string, or an integer in integer enums) and its C# name."""

    value: str | int
    name: str


@dataclass(frozen=True, kw_only=True)
class CsType:
    """One type of the closure: a unit. `name` is its C# name, used in files, markers, prompts and issues alike.

    `key` holds the primary key of the root: the key's name, then the JSON names of its properties; empty when none
    fits. `integer` marks an enum of numbers (no string converter, explicit values). `closed` says that the schema
    forbids additional properties. `origin` is the place in the document, such as `#/components/schemas/Pet`.
    `page_size` is the number of members on one page of this type, 0 for the endpoint's own.
    A root that is no object on the wire is a class made for it (its `origin` ends in ` (wrapped)` and a note says so):
    a map has a single `JsonExtensionData` field, anything else a single field `value`.
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


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """The source of the csharp recipe: an endpoint and its types, the root first, in a stable order.

    `method` is upper case; `label` names the run folder, such as `GET_pets_id`; `notes` are warnings of reading.
    Every field that `plan` needs is here: page sizes are part of the source, the document is not.
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

    @property
    def root(self) -> CsType:
        """The type that the endpoint returns."""
        return self.types[0]

    @cached_property
    def by_name(self) -> Mapping[str, CsType]:
        """The types by their C# names."""
        return {type_.name: type_ for type_ in self.types}
