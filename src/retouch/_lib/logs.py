"""What all loggers of the package share: nothing is printed by default, and no record has a secret.

A module that logs has these two lines:

    _LOG = logging.getLogger(__name__)
    _LOG.addFilter(redact_record)
"""

from __future__ import annotations

import logging


def redact_record(record: logging.LogRecord) -> bool:
    """Remove secrets from the message of a record, and return True. A filter of a logger: it runs before any handler.

    Exact values of environment variables that contain keys are replaced, and so is text that looks like a key. It is
    not called for a record whose level is off.
    """
    from retouch._lib.redaction import without_keys

    text = record.getMessage()
    clean = without_keys(text)
    if clean != text:
        record.msg, record.args = clean, ()
    return True


logging.getLogger("retouch").addHandler(logging.NullHandler())
