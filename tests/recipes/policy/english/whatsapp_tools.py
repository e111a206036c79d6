"""Tools of a chat server that sends to a phone number, or to a group by its JID."""

from __future__ import annotations

from tests.recipes.policy.english.meanings import TEXT, frame_of, told

RECIPIENT = told("The recipient - either a phone number, or a JID (a group JID like '123456789@g.us')")
PATH = told("The absolute path to the media file to send")
WHATSAPP = frame_of(
    "whatsapp",
    {
        "list_messages": ("Get WhatsApp messages", {"chat_jid": TEXT, "query": TEXT}),
        "send_message": (
            "Send a WhatsApp message to a person or group",
            {"recipient": RECIPIENT, "message": told("The message text to send")},
        ),
        "send_file": ("Send a file such as a picture or document", {"recipient": RECIPIENT, "media_path": PATH}),
        "send_audio_message": ("Send any audio file as an audio message", {"recipient": RECIPIENT, "media_path": PATH}),
    },
    required={
        "list_messages": [],
        "send_message": ["recipient", "message"],
        "send_file": ["recipient", "media_path"],
        "send_audio_message": ["recipient", "media_path"],
    },
    roles={"media_path": "read-path"},
)
