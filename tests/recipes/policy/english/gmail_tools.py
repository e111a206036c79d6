"""Tools of a mailbox whose labels are put on e-mails by a tool that modifies these."""

from __future__ import annotations

from typing import Any

from tests.recipes.policy.english.meanings import TEXT, frame_of, told

MANY: dict[str, Any] = {"type": "array", "items": TEXT}
WRITTEN: dict[str, Any] = {
    "to": told("List of recipient email addresses", MANY),
    "subject": TEXT,
    "body": TEXT,
    "cc": told("List of CC recipients", MANY),
    "bcc": told("List of BCC recipients", MANY),
    "attachments": told("List of file paths to attach to the email", MANY),
}
LABELS: dict[str, Any] = {
    "addLabelIds": told("List of label IDs to add to the message", MANY),
    "removeLabelIds": told("List of label IDs to remove from the message", MANY),
}
ACTION: dict[str, Any] = {
    "type": "object",
    "properties": {"addLabelIds": MANY, "forward": told("Email address to forward matching emails to")},
}
GMAIL = frame_of(
    "gmail",
    {
        "send_email": ("Sends a new email", WRITTEN),
        "draft_email": ("Draft a new email", WRITTEN),
        "read_email": ("Retrieves the content of a specific email", {"messageId": TEXT}),
        "modify_email": ("Modifies email labels (move to different folders)", {"messageId": TEXT, **LABELS}),
        "batch_modify_emails": (
            "Modifies labels for multiple emails in batches",
            {"messageIds": MANY, **LABELS, "batchSize": told("Number of messages in each batch", {"type": "number"})},
        ),
        "delete_email": ("Permanently deletes an email", {"messageId": TEXT}),
        "create_label": ("Creates a new Gmail label", {"name": TEXT}),
        "delete_label": ("Deletes a Gmail label", {"id": TEXT}),
        "create_filter": ("Creates a new Gmail filter", {"criteria": {"type": "object"}, "action": ACTION}),
        "download_attachment": ("Downloads an email attachment", {"messageId": TEXT, "attachmentId": TEXT}),
    },
    required={
        "send_email": ["to", "subject", "body"],
        "draft_email": ["to", "subject", "body"],
        "read_email": ["messageId"],
        "modify_email": ["messageId"],
        "batch_modify_emails": ["messageIds"],
        "delete_email": ["messageId"],
        "create_label": ["name"],
        "delete_label": ["id"],
        "create_filter": ["criteria", "action"],
        "download_attachment": ["messageId", "attachmentId"],
    },
    roles={"to": "email-address", "cc": "email-address", "bcc": "email-address", "attachments": "read-path"},
)
