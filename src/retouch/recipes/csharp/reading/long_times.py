"""Finds the members with an example that has more digits of a second than C# keeps."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from retouch.recipes.csharp.document.bodies import payloads_beside
from retouch.recipes.csharp.reading.facts import MemberExamples
from retouch.recipes.csharp.reading.hierarchies import ChosenHierarchies, Hierarchies
from retouch.recipes.csharp.shapes.schemas import Schemas

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from retouch._lib.json_text import JSON
    from retouch.recipes.csharp.document.document import Document
    from retouch.recipes.csharp.document.nodes import DocumentNode

_LONG = re.compile(r'"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{8}')
_DATA = frozenset({"example", "examples", "default", "enum", "const"})  # what is inside of them is not a schema


def members_with_long_times(document: Document) -> Collection[tuple[str, str]]:
    """Return the place of the class, and the JSON name, of each member with such an example in the document."""
    schemas = document.once(Schemas)
    hierarchies = ChosenHierarchies(by_base=document.once(Hierarchies).by_base, by_variant={})
    examples = MemberExamples(schemas, hierarchies)
    for value, schema in _examples(document):
        if _LONG.search(json.dumps(value, default=str)):
            examples.spread(value, schema)
    return frozenset(member for member, found in examples.found.items() if any(map(_LONG.search, found)))


def _examples(document: Document) -> Iterator[tuple[JSON, DocumentNode]]:
    """Yield every example in the document's own file, and the schema that it is an example of."""
    waiting = [document.root]
    while waiting:
        node = waiting.pop()
        is_schema_map = node.pointer.endswith("/properties")
        if isinstance(node.value, dict) and not is_schema_map and not _DATA.isdisjoint(node.value):
            schema = node.child("schema")
            if schema.value is not None:
                yield from ((one.value, schema) for one in payloads_beside(document, schema))
            else:
                listed = node.value.get("examples")
                values = [node.value["example"]] if "example" in node.value else []
                yield from ((value, node) for value in [*values, *(listed if isinstance(listed, list) else [])])
        waiting += [one for name, one in node.entries() if is_schema_map or name not in _DATA]
        waiting += node.elements()
