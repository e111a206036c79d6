"""A policy as policies of Cedar, with the proof that both decide alike."""

from __future__ import annotations

from retouch.recipes.policy.cedar.asking import Asked, Asker
from retouch.recipes.policy.cedar.checking import CedarCheck, CedarEngine, Disagreement, check_export, checked_export
from retouch.recipes.policy.cedar.writing import CedarExport, export_cedar

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
]
