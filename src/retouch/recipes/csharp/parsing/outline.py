"""The outline of one page as small immutable values: types, properties, attributes, enum members.

All lines count from 1 within the page. `start` and `end` are offsets in the page's UTF-8 bytes (`Outline.data`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Form: TypeAlias = Literal["type", "members", "values"]

BEGIN_FIELDS = "// BEGIN_FIELDS"
END_FIELDS = "// END_FIELDS"
_TYPE_KINDS = ("class", "record", "struct", "interface", "enum", "delegate")


@dataclass(frozen=True, kw_only=True, slots=True)
class Argument:
    """One argument of an attribute. `name` is set for `Name = value`, and ends in a colon for `name: value`.

    `value` is the decoded string of a `text`, the last name of a `nameof`, the type of a `typeof`, and otherwise the
    source text without spaces.
    """

    kind: Literal["text", "nameof", "typeof", "other"]
    value: str
    name: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Attribute:
    """One attribute: its name without the suffix `Attribute`, and without a namespace that a using line imports.

    `list_start` and `list_end` are the positions of the brackets. If they hold further attributes, `alone` is False.
    """

    name: str
    arguments: tuple[Argument, ...] = ()
    line: int = 1
    start: int = 0
    end: int = 0
    list_start: int = 0
    list_end: int = 0
    alone: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class AttributedMember:
    """A member with attributes."""

    attributes: tuple[Attribute, ...] = ()

    def attribute(self, name: str) -> Attribute | None:
        """Return the first attribute called `name`, or None."""
        return next((attribute for attribute in self.attributes if attribute.name == name), None)

    def argument_of(self, name: str) -> str | None:
        """Return the text or name that is the only argument of the attribute `name`, or None."""
        attribute = self.attribute(name)
        if attribute is None or len(attribute.arguments) != 1 or attribute.arguments[0].kind not in ("text", "nameof"):
            return None
        return attribute.arguments[0].value


@dataclass(frozen=True, kw_only=True, slots=True)
class TypeText:
    """A C# type: its canonical spelling without an outer `?`, whether it had one, and the names it mentions.

    The canonical spelling uses keywords for `System.Int64` and the like, `T[]` for `List<T>`, `T?` for `Nullable<T>`,
    and no spaces.
    """

    canonical: str
    nullable: bool
    names: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Property(AttributedMember):
    """One property. `initialiser` is the text after `=`. `arrow` is True if it is computed (`=> ...`).

    `accessors` are written without spaces and `;`, as `get`, `init` or `private set`. One with a body ends in `{}`.
    """

    name: str
    type: TypeText
    modifiers: tuple[str, ...]
    accessors: tuple[str, ...]
    initialiser: str
    arrow: bool
    line: int
    start: int
    end: int
    type_end: int
    accessors_start: int
    accessors_end: int
    type_start: int = 0

    @property
    def json_name(self) -> str | None:
        """The name in `[JsonPropertyName]`, or None."""
        return self.argument_of("JsonPropertyName")


@dataclass(frozen=True, kw_only=True, slots=True)
class EnumMember(AttributedMember):
    """One member of an enum. `number` is the text after `=`. `comma` is True if a comma follows."""

    name: str
    number: str
    comma: bool
    line: int
    start: int
    end: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Stray:
    """Something that does not belong on a page: the kind of its syntax node, its position and its first line."""

    kind: str
    line: int
    text: str
    start: int = 0
    end: int = 0

    @property
    def declares_type(self) -> bool:
        """Whether it declares a type."""
        return self.kind.removesuffix("_declaration") in _TYPE_KINDS


@dataclass(frozen=True, kw_only=True, slots=True)
class TypeOutline(AttributedMember):
    """One declared type, or the members of a fragment.

    `parameters` are those of a generic type or a constructor; those of a record are properties. `others` are members
    that are neither property nor value. `body_start` is the offset after the opening brace, `body_end` that of the
    closing one.
    """

    kind: str
    name: str
    modifiers: tuple[str, ...] = ()
    bases: str = ""
    parameters: str = ""
    properties: tuple[Property, ...] = ()
    members: tuple[EnumMember, ...] = ()
    others: tuple[Stray, ...] = ()
    line: int = 1
    start: int = 0
    end: int = 0
    body_start: int = 0
    body_end: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Outline:
    """One parsed page.

    `fault` is the first syntax error. `types` are the declarations; a fragment has exactly one, without a name, unless
    it has a syntax error. `stray` is everything outside of them. `marks` are the BEGIN_FIELDS and END_FIELDS comments.
    """

    form: Form
    data: bytes
    fault: Stray | None
    types: tuple[TypeOutline, ...]
    stray: tuple[Stray, ...]
    marks: tuple[Stray, ...]

    def declaration(self, name: str) -> TypeOutline | None:
        """Return the declaration called `name`, else the last one, else None."""
        return next((type_ for type_ in self.types if type_.name == name), self.types[-1] if self.types else None)
