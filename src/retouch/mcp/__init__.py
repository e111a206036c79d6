"""A server of the Model Context Protocol: edits, search and runs as tools for agents, inside of chosen directories.

    from retouch.mcp import AgentTools, serve

`AgentTools` are the tools as plain functions. `serve` offers them on standard input and output (extra `mcp`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch._lib.lazy import lazy_attributes

if TYPE_CHECKING:
    from retouch.mcp.server import serve
    from retouch.mcp.tools import AgentTools

__all__ = ["AgentTools", "serve"]
__getattr__ = lazy_attributes(__name__, {"serve": "retouch.mcp.server", "AgentTools": "retouch.mcp.tools"})
