"""What a schema describes once references and combinations are worked out."""

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
    """Several schemas in one place: a value must satisfy `all` of them, or `one`. `home` is the place's name."""

    home: DocumentNode
    how: Literal["all", "one"]
    parts: tuple[Expr, ...]


Expr: TypeAlias = "DocumentNode | Mix"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProposedValue:
    """One value of an enum and the name that the document proposes for it."""

    value: JSON
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Body:
    """What makes a type: `home` is the place that defines it, so equal homes are one type.

    `item` is the schema of an array's elements or a map's values (None: anything). `extra` is the schema of further
    properties beside an object's members. `limits` holds the validation keywords as they are written. `variants`
    holds the alternatives of a union that is no single type. `partial` bodies lack what a circle of schemas leads
    back to; they are parts of others and never types of their own.
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
    def is_class(self) -> bool:
        """Whether the body becomes a C# class."""
        return self.kind == "object"

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
