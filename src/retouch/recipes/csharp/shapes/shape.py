"""The shape of a schema: its type after references and combinations are resolved."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch._lib.json_text import JSON
    from retouch.recipes.csharp.document.nodes import DocumentNode

Kind = Literal["any", "object", "map", "array", "string", "integer", "number", "boolean", "null"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Mix:
    """Several schemas for one place: a value must satisfy `all` of them, or `one`. `home` identifies the place."""

    home: DocumentNode
    how: Literal["all", "one"]
    parts: tuple[Expr, ...]


Expr: TypeAlias = "DocumentNode | Mix"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProposedValue:
    """One value of an enum, and the name that the document proposes for it."""

    value: JSON
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Body:
    """The definition of a type. `home` is the place that defines it, so equal homes are one type.

    - `item`: the schema of an array's elements or a map's values (None: anything).
    - `extra`: the schema of further properties of an object.
    - `limits`: the validation keywords as written.
    - `variants`: the alternatives of a union that has no common type.
    - `partial`: the body lacks parts, because of a cycle. It is only used inside of other bodies, never as a type.
    """

    kind: Kind
    home: DocumentNode
    description: str = ""
    format: str = ""
    values: tuple[ProposedValue, ...] = ()
    members: Mapping[str, Expr] = field(default_factory=dict["str", "Expr"])
    required: frozenset[str] = frozenset()
    item: Expr | None = None
    extra: Expr | None = None
    closed: bool = False
    limits: Mapping[str, JSON] = field(default_factory=dict["str", "JSON"])
    examples: tuple[JSON, ...] = ()
    variants: tuple[Shape, ...] = ()
    partial: bool = False
    notes: tuple[str, ...] = ()

    @property
    def is_of_variants(self) -> bool:
        """Whether it is a class with the properties of all variants of a union."""
        value = self.home.value
        return self.is_class and isinstance(value, dict) and ("oneOf" in value or "anyOf" in value)

    @property
    def is_class(self) -> bool:
        """Whether the body becomes a C# class."""
        return self.kind == "object"

    @property
    def is_empty(self) -> bool:
        """Whether the schema does not constrain its values, so that null is one of them."""
        return self.kind == "any" and not (self.notes or self.variants or self.required or self.partial)

    @property
    def is_enum(self) -> bool:
        """Whether the body becomes a C# enum: two or more values, all of them text or all integers."""
        return self.kind in {"string", "integer"} and len(self.values) > 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shape:
    """A body as it is used in one place."""

    body: Body
    nullable: bool = False
    description: str = ""
    deprecated: bool = False
    read_only: bool = False
    write_only: bool = False
    notes: tuple[str, ...] = ()
