"""C# names of schemas, from their place in the document alone."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from retouch.recipes.csharp.document.nodes import tokens_of
from retouch.recipes.csharp.naming.identifiers import pascal, type_names
from retouch.recipes.csharp.naming.singular import singular

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.csharp.document.nodes import DocumentNode

ROOT_SUFFIX = "DataObject"
_BELOW_A_NAME = frozenset({
    "schema", "properties", "patternProperties", "items", "prefixItems", "additionalProperties", "allOf", "oneOf",
    "anyOf",
})  # fmt: skip


def root_class_name(object_name: str) -> str:
    """Return the C# name of the root class of an object."""
    return object_name if object_name.endswith(ROOT_SUFFIX) else object_name + ROOT_SUFFIX


def named_types(homes: Sequence[DocumentNode], *, root_name: str, plain: bool = False) -> dict[str, str]:
    """Return the C# name of each type of an endpoint by its place. The first is the root and gets the suffix.

    In the plain style no type has the suffix.
    """
    root, *others = homes
    named: list[tuple[str, str]] = []
    unnamed: list[tuple[str, str]] = []
    for home in others:
        if is_named(home):
            named.append((home.place, given_name(home)))
        elif home.file == root.file and home.pointer.startswith(root.pointer + "/"):
            unnamed.append((home.place, below(root_name, tokens_of(home.pointer[len(root.pointer) :]))))
        else:
            unnamed.append((home.place, given_name(home)))
    of_root = (root.place, root_name if plain else root_class_name(root_name))
    return type_names([of_root, *sorted(named), *sorted(unnamed)], plain=plain)


def is_named(home: DocumentNode) -> bool:
    """Return whether the document itself names the schema at this place."""
    tokens = tokens_of(home.pointer)
    if tokens[-2:-1] in (["$defs"], ["definitions"]):
        return True
    if tokens[:1] == ["components"]:
        return len(tokens) == 3 and tokens[1] == "schemas"
    return bool(home.file or tokens) and _BELOW_A_NAME.isdisjoint(tokens) and tokens[:1] != ["paths"]


def given_name(home: DocumentNode) -> str:
    """Return the C# name of the schema at a place: the name of its component, path or file, and the steps below it."""
    tokens = tokens_of(home.pointer)
    if tokens[:1] == ["components"] and len(tokens) > 2:
        base, rest = tokens[2], tokens[3:]
    elif tokens[:1] == ["paths"] and len(tokens) > 1:
        base, rest = path_name(tokens[1], single=False), tokens[2:]
    elif tokens[:1] == ["responses"] and len(tokens) > 1 and not home.file:
        base, rest = tokens[1], tokens[2:]
    else:
        cut = next((index for index, token in enumerate(tokens) if token in _BELOW_A_NAME), len(tokens))
        is_file = tokens[cut : cut + 1] == ["schema"] or cut == 0
        base = posixpath.basename(home.file).split(".")[0] or "Root" if is_file else tokens[cut - 1]
        rest = tokens[cut:]
    return below(pascal(base), rest)


def below(name: str, steps: Sequence[str]) -> str:
    """Return the name extended by the properties on the path. Elements of a property get its singular."""
    last_step = "base"
    index = 0
    while index < len(steps):
        step, below = steps[index], steps[index + 1 : index + 2]
        index += 1
        if step in {"properties", "patternProperties"} and below:
            name, last_step, index = pascal(f"{name} {pascal(below[0])}"), "property", index + 1
        elif step in {"$defs", "definitions"} and below:
            name, last_step, index = pascal(below[0]), "base", index + 1
        elif step in {"items", "prefixItems", "additionalProperties"}:
            word = "Value" if step == "additionalProperties" else "Item"
            name = {"base": name + word, "property": singular(name)}.get(last_step, name)
            last_step = "element"
        elif step in {"allOf", "anyOf", "oneOf"}:
            index += 1
    return name


def path_name(path: str, *, single: bool) -> str:
    """Return the name for the response of a path: its last fixed part, in the singular if `single`.

    A path that ends in a parameter returns a single object, so its name is also singular.
    """
    parts = [part for part in path.split("/") if part]
    fixed = [part for part in parts if not part.startswith("{")]
    named = [part for part in fixed if not _is_version(part)] or fixed
    if not named:
        return "Resource"
    last = re.split(r"[{?]", named[-1], maxsplit=1)[0].rstrip("(.:-_") or named[-1]
    name = pascal(last.removesuffix(".json").removesuffix(".xml"))
    return singular(name) if single or parts[-1].startswith("{") else name


def _is_version(part: str) -> bool:
    return part[:1] in {"v", "V"} and part[1:].replace(".", "").isdigit()
