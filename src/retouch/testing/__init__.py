"""Tools for your tests: models that fail like real ones, scripted models, and a model server.

`faulty` wraps any model and injects failures. `scripted` answers with a list of replies or with a function.
`model_server` serves any model at a loopback address that the client libraries of Anthropic and OpenAI can call, with
prompt caching, batches, and every kind of transport failure: `FAULTS` by name, `status`, `at_rate`.
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
