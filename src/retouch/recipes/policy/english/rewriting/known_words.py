"""Writes a sentence in the words that the readers know: folders, names, people, labels, verbs of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.policy.english.rewriting.asides import without_asides
from retouch.recipes.policy.english.rewriting.bracketed import with_explained
from retouch.recipes.policy.english.rewriting.business_words import with_business_words
from retouch.recipes.policy.english.rewriting.daily_words import with_daily_words
from retouch.recipes.policy.english.rewriting.flagged_things import with_flagged_things
from retouch.recipes.policy.english.rewriting.giving_access import with_shared_things
from retouch.recipes.policy.english.rewriting.home_folders import with_home_folders
from retouch.recipes.policy.english.rewriting.looking_only import with_looking_only
from retouch.recipes.policy.english.rewriting.small_words import with_small_words
from retouch.recipes.policy.english.rewriting.spoken import with_plain_names
from retouch.recipes.policy.english.rewriting.written_access import with_plain_access
from retouch.recipes.policy.english.rewriting.written_branches import with_pushes
from retouch.recipes.policy.english.rewriting.written_commands import with_quoted_commands
from retouch.recipes.policy.english.rewriting.written_files import with_kinds_of_files
from retouch.recipes.policy.english.rewriting.written_labels import with_plain_labels
from retouch.recipes.policy.english.rewriting.written_messages import with_plain_messages
from retouch.recipes.policy.english.rewriting.written_names import with_plain_owners
from retouch.recipes.policy.english.rewriting.written_people import with_plain_people
from retouch.recipes.policy.english.rewriting.written_repositories import with_held_things
from retouch.recipes.policy.english.rewriting.written_rooms import (
    with_named_doors,
    with_named_rooms,
    with_switched_lights,
)
from retouch.recipes.policy.english.rewriting.written_sites import with_plain_sites
from retouch.recipes.policy.english.rewriting.written_verbs import (
    with_plain_verbs,
    with_reply_to_all,
    without_somebodys,
)
from retouch.recipes.policy.english.tools.given_arguments import with_given
from retouch.recipes.policy.english.tools.other_nouns import with_known_nouns
from retouch.recipes.policy.english.tools.said_verbs import with_known_verbs

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.toolbox import Toolbox


def in_known_words(text: str, toolbox: Toolbox) -> str:
    """Return a sentence without asides, with its folders, names, people and verbs as the readers know them."""
    text = with_home_folders(with_explained(without_asides(text, toolbox)), toolbox)
    text = with_plain_names(without_somebodys(text))
    for known in (
        with_looking_only,
        with_kinds_of_files,
        with_plain_access,
        with_small_words,
        with_pushes,
        with_daily_words,
        with_business_words,
        with_flagged_things,
        with_quoted_commands,
        with_reply_to_all,
        with_plain_sites,
        with_plain_people,
        with_plain_owners,
        with_held_things,
        with_named_rooms,
        with_switched_lights,
        with_named_doors,
        with_shared_things,
        with_plain_messages,
        with_plain_labels,
        with_plain_verbs,
        with_given,
        with_known_nouns,
        with_known_verbs,
    ):
        text = known(text, toolbox)
    return text
