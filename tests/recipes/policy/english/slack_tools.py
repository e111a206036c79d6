"""Tools of a chat server whose channels are named by an id, by `#name`, or by `@name` for a direct message."""

from __future__ import annotations

from typing import Any

from tests.recipes.policy.english.meanings import TEXT, frame_of, told

CHANNEL = told("ID of the channel in format Cxxxxxxxxxx or its name starting with #... or @... (direct message)")
STAMP = told("The thread's first message, in format 1234567890.123456. Optional, else it is added to the channel.")
KIND: dict[str, Any] = told("Content type of the message. Default is 'text/markdown'.")
GROUP = told("ID of the user group to update")
SLACK = frame_of(
    "slack",
    {
        "conversations_history": ("Get messages from the channel (or DM) by channel_id", {"channel_id": CHANNEL}),
        "conversations_replies": (
            "Get a thread of messages posted to a conversation by channelID and thread_ts",
            {"channel_id": CHANNEL, "thread_ts": STAMP},
        ),
        "conversations_add_message": (
            "Add a message to a public channel, private channel, or direct message (DM, or IM) conversation",
            {
                "channel_id": CHANNEL,
                "thread_ts": STAMP,
                "payload": told("Message payload in specified content_type format."),
                "content_type": KIND,
            },
        ),
        "conversations_search_messages": (
            "Search messages in a public channel, private channel, or direct message conversation using filters.",
            {
                "search_query": told("Search query to filter messages."),
                "filter_in_channel": told("Filter messages in a specific channel by its ID or name."),
                "filter_in_im_or_mpim": told("Filter messages in a direct message (DM) by its ID or name."),
            },
        ),
        "channels_list": ("Get list of channels", {"channel_types": TEXT}),
        "reactions_add": (
            "Add an emoji reaction to a message",
            {"channel_id": CHANNEL, "timestamp": TEXT, "emoji": TEXT},
        ),
        "reactions_remove": (
            "Remove an emoji reaction from a message",
            {"channel_id": CHANNEL, "timestamp": TEXT, "emoji": TEXT},
        ),
        "users_search": ("Search for users by name, email, or display name.", {"query": TEXT}),
        "usergroups_list": ("List all user groups (subteams) in the workspace.", {"include_users": TEXT}),
        "usergroups_create": ("Create a new user group in the workspace.", {"name": TEXT, "handle": TEXT}),
        "usergroups_update": (
            "Update an existing user group's metadata (name, handle, description).",
            {"usergroup_id": GROUP, "name": TEXT, "handle": TEXT},
        ),
        "usergroups_users_update": (
            "Update the members of a user group. This replaces all existing members.",
            {"usergroup_id": GROUP, "users": TEXT},
        ),
    },
    required={
        "conversations_history": ["channel_id"],
        "conversations_replies": ["channel_id", "thread_ts"],
        "conversations_add_message": ["channel_id", "payload"],
        "conversations_search_messages": [],
        "channels_list": ["channel_types"],
        "reactions_add": ["channel_id", "timestamp", "emoji"],
        "reactions_remove": ["channel_id", "timestamp", "emoji"],
        "users_search": ["query"],
        "usergroups_list": [],
        "usergroups_create": ["name"],
        "usergroups_update": ["usergroup_id"],
        "usergroups_users_update": ["usergroup_id", "users"],
    },
)
