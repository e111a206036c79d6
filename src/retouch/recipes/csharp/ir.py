"""The source of the csharp recipe: one endpoint and its types, named for C#. It contains nothing machine-specific."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping


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
class EnumValue:
    """One member of an enum: its exact wire value (a string, or an integer in integer enums) and its C# name."""

    value: str | int
    name: str


@dataclass(frozen=True, kw_only=True)
class CsType:
    """One type of the endpoint, which is a unit.

    - `name`: its C# name, used in files, markers, prompts and issues.
    - `key`: the primary key of the root: the key's name, then the JSON names of its properties. Empty if there is none.
    - `integer`: an enum of numbers (no string converter, explicit values).
    - `closed`: the schema forbids additional properties.
    - `origin`: the place in the document, such as `#/components/schemas/Pet`.
    - `page_size`: the number of members on one page of this type, 0 for the endpoint's default.

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


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """The source of the csharp recipe: an endpoint and its types, the root first, in a stable order.

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

    @property
    def root(self) -> CsType:
        """The type that the endpoint returns."""
        return self.types[0]

    @cached_property
    def by_name(self) -> Mapping[str, CsType]:
        """The types by their C# names."""
        return {type_.name: type_ for type_ in self.types}
