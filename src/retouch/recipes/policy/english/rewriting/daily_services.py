"""Writes sentences about mail, calendars and chats as the readers know them, before anything else is done to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.policy.english.rewriting.written_calendars import with_plain_calendars
from retouch.recipes.policy.english.rewriting.written_mails import with_plain_mails
from retouch.recipes.policy.english.rewriting.written_threads import with_plain_threads

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.toolbox import Toolbox


def with_plain_services(text: str, toolbox: Toolbox | None) -> str:
    """Return a sentence in plain words for the services at hand. Without tools it stays as it is."""
    for known in (with_plain_mails, with_plain_calendars, with_plain_threads) if toolbox is not None else ():
        text = known(text, toolbox)
    return text
