"""Exports a policy to Cedar and checks that Cedar decides every call in the same way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch._lib.lazy import lazy_attributes

if TYPE_CHECKING:
    from retouch.recipes.policy.cedar.asking import Asked, Asker
    from retouch.recipes.policy.cedar.checking import (
        CedarCheck,
        CedarEngine,
        Disagreement,
        check_export,
        checked_export,
        stricter_export,
    )
    from retouch.recipes.policy.cedar.writing import CedarExport, export_cedar

_HOMES = {
    "Asked": "asking",
    "Asker": "asking",
    "CedarCheck": "checking",
    "CedarEngine": "checking",
    "CedarExport": "writing",
    "Disagreement": "checking",
    "check_export": "checking",
    "checked_export": "checking",
    "export_cedar": "writing",
    "stricter_export": "checking",
}

__all__ = [
    "Asked",
    "Asker",
    "CedarCheck",
    "CedarEngine",
    "CedarExport",
    "Disagreement",
    "check_export",
    "checked_export",
    "export_cedar",
    "stricter_export",
]

__getattr__ = lazy_attributes(__name__, {name: f".{home}" for name, home in _HOMES.items()})
