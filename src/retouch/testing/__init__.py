"""For tests of your own: models that fail as real ones do, models that say what a test wrote, a server for both.

`faulty` wraps any model and injects failures; `scripted` answers with a list of replies or with a function;
`model_server` puts any model behind a loopback address that the real client libraries of Anthropic and OpenAI can
talk to, with prompt caching, batches, and whatever can go wrong on the way: `FAULTS` by name, `status`, `at_rate`.
"""

from retouch.models.faulty import faulty
from retouch.testing.scripted import Answer, Scripted, scripted
from retouch.testing.server import ModelServer, model_server
from retouch.testing.server_faults import FAULTS, Fault, at_rate, retry_after_date, status

__all__ = [
    "FAULTS",
    "Answer",
    "Fault",
    "ModelServer",
    "Scripted",
    "at_rate",
    "faulty",
    "model_server",
    "retry_after_date",
    "scripted",
    "status",
]
