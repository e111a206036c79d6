"""The errors of `retouch.locate`; they belong to the one tree in `retouch.errors`."""

from __future__ import annotations

from retouch.errors import BadInput


class LocateError(BadInput):
    """A reference, a directory, a diff or a trial ledger that cannot be used; `hint` is the next step."""
