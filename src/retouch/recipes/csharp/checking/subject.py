"""The input of the checks of one type, and the creation of their issues."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from retouch.engine.types import Issue, Severity, Tier
from retouch.recipes.csharp.asking.paging import page_count, page_size
from retouch.recipes.csharp.parsing.page import normalised, outline

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.csharp.ir import CsField, CsType, Endpoint
    from retouch.recipes.csharp.parsing.outline import Form, Outline, Property, TypeOutline


@dataclass(frozen=True, kw_only=True)
class Subject:
    """One type to check: its listing, and the outlines of its answered pages."""

    endpoint: Endpoint
    type: CsType
    pages: Sequence[Outline]

    @property
    def declared(self) -> Mapping[str, CsType]:
        """The endpoint's types by name."""
        return self.endpoint.by_name

    @cached_property
    def declaration(self) -> TypeOutline | None:
        """The declaration on page 1: the one with the right name, else the last."""
        return self.pages[0].declaration(self.type.name)

    @cached_property
    def parts(self) -> list[tuple[int, TypeOutline]]:
        """The bodies of the pages: the declaration of page 1, then the fragments of the further pages."""
        first = [] if self.declaration is None else [(1, self.declaration)]
        return first + [(number, page.types[0]) for number, page in enumerate(self.pages[1:], 2) if page.types]

    def properties(self) -> Iterator[tuple[int, Property]]:
        """Yield all properties with their pages."""
        return ((page, property_) for page, part in self.parts for property_ in part.properties)

    def owner(self, index: int) -> int | None:
        """Return the page of member number `index` (from 0), or None if the number of pages is not the planned one."""
        if len(self.pages) == 1:
            return 1
        if len(self.pages) != page_count(self.endpoint, self.type):
            return None
        return index // page_size(self.endpoint, self.type) + 1

    @cached_property
    def fields(self) -> Mapping[str, tuple[int, CsField]]:
        """The listed fields with their numbers, by JSON name."""
        return {field.json_name: (index, field) for index, field in enumerate(self.type.fields)}

    def issue(
        self,
        code: str,
        message: str,
        *,
        fix: str,
        page: int | None = None,
        line: int | None = None,
        tier: Tier = Tier.SCHEMA,
        severity: Severity = "error",
        detail: Mapping[str, JSON] | None = None,
    ) -> Issue:
        """Return an issue of this type."""
        return Issue(
            code=code,
            message=message,
            tier=tier,
            unit=self.type.name,
            page=page,
            line=line,
            detail=detail or {},
            severity=severity,
            fix=fix,
        )


def form_of(type_: CsType, page: int) -> Form:
    """Return the form in which page `page` of `type_` is parsed."""
    if page == 1:
        return "type"
    return "values" if type_.kind == "enum" and not type_.open else "members"


def subject(endpoint: Endpoint, type_: CsType, pages: Sequence[str]) -> Subject:
    """Return the pages of `type_`, parsed for the checks."""
    outlines = [outline(normalised(page), form_of(type_, number)) for number, page in enumerate(pages, 1)]
    return Subject(endpoint=endpoint, type=type_, pages=outlines)
