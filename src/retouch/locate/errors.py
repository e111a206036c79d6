"""The errors of `retouch.locate`. They are part of the error tree in `retouch.errors`."""

from __future__ import annotations

from retouch.errors import BadInput


class LocateError(BadInput):
    """A reference, a directory, a diff or a trial ledger cannot be used. `hint` is the next step."""
