"""Directory names for endpoints: valid on every system, and unique in one document."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from retouch.recipes.csharp.document.operations import operations_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.recipes.csharp.document.document import Document

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 120


def endpoint_labels(document: Document) -> Mapping[tuple[str, str], str]:
    """Return the label of each operation by method and path, such as `GET_rest_v1.1_projects`.

    A label ends in a hash of the operation if it was cut, or if it differs from another one only in case.
    `document.once(endpoint_labels)` computes them once.
    """
    plain = {known: plain_label(*known) for known in document.once(operations_of)}
    seen: dict[str, int] = {}
    for label in plain.values():
        seen[label.lower()] = seen.get(label.lower(), 0) + 1
    return {known: _hashed(label, known) if seen[label.lower()] > 1 else label for known, label in plain.items()}


def plain_label(method: str, path: str) -> str:
    """Return the label of one endpoint: letters, digits, `.`, `_` and `-`, at most 120, without a dot at its ends."""
    parts = [_UNSAFE.sub("_", part).strip("_.") for part in path.split("/")]
    label = "_".join([_UNSAFE.sub("_", method), *(part for part in parts if part)])
    return label if len(label) <= _LONGEST else _hashed(label[: _LONGEST - 9], (method, path))


def _hashed(label: str, known: tuple[str, str]) -> str:
    return f"{label}_{hashlib.sha256(' '.join(known).encode()).hexdigest()[:8]}"
