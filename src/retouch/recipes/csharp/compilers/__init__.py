"""Tier 3: real C# compilers judge the assembled file, and what they say is mapped back to types and pages."""

from __future__ import annotations

from retouch.recipes.csharp.compilers.judge import check
from retouch.recipes.csharp.compilers.roslyn import find_roslyn, install_roslyn

__all__ = ["check", "find_roslyn", "install_roslyn"]
