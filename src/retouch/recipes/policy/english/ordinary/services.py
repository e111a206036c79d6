"""Reads sentences about what the tools of mail and chats do by one argument: filters, labels, groups, phone numbers.

Each reader knows one kind of sentence word by word, and all tools that do what it is about. A word more, and the
sentence is left to the other readers.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.frames.restricted import restricted
from retouch.recipes.policy.english.limits.several_tests import restriction
from retouch.recipes.policy.english.ordinary.calendar_services import parts_of_series, parts_permitted
from retouch.recipes.policy.english.ordinary.chat_services import only_to_number, parts_of_chats
from retouch.recipes.policy.english.ordinary.event_lengths import meaning_of_length
from retouch.recipes.policy.english.ordinary.mail_services import label_left_alone, only_kinds_attached, parts_of_mails

if TYPE_CHECKING:
    from collections.abc import Callable

    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import Meaning

_BUT = re.compile(r"(?P<first>[^;]+?)(?:,|;)? but (?P<second>[^;]+)", re.IGNORECASE)
_READERS = (parts_of_mails, parts_of_chats, parts_of_series)
_WHOLE = (only_kinds_attached, only_to_number, parts_permitted, meaning_of_length)


def meaning_of_service(text: str, toolbox: Toolbox) -> Meaning | None:
    """Return what a sentence about a mailbox or a chat means. None if it is another one.

    Raises:
        Unclear: it is one, and a tool may do what it says in a way that no test sees.
    """
    if "`" in text or '"' in text:
        return None
    for whole in _WHOLE:
        if (meaning := whole(text, toolbox)) is not None:
            return meaning
    if parts := label_left_alone(text, toolbox):
        return restriction(parts, toolbox, asks=False)
    for one in restricted(text, toolbox.words):
        for read in _READERS:
            if parts := read(one, toolbox):
                return restriction(parts, toolbox, asks=one.how == "ask")
    return None


def permission_but_service(text: str, toolbox: Toolbox, read: Callable[[str], Meaning]) -> Meaning | None:
    """Return what "you can label messages, but leave the IMPORTANT label alone" means. None if it is another sentence.

    A prohibition of its own comes before any permission, so that neither changes what the other one is about.

    Raises:
        Unclear: the permission is not understood.
    """
    found = _BUT.fullmatch(text.strip())
    if found is None:
        return None
    second = meaning_of_service(f"{found['second'][0].upper()}{found['second'][1:]}", toolbox)
    if second is None or second.allow or second.excepted:
        return None
    first = read(f"{found['first']}.")
    return first | second if first.allow and first.parts == first.allow else None
