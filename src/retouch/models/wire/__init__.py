"""Provider responses, read from their bytes by the protocols' own rules: no client library interprets them.

`response_reader` is fed with the bytes of one response, in whatever pieces they arrive, and keeps what they say: text,
reasoning, finish reason, usage, request id. `models/hosted` sends requests and feeds it.
"""

from retouch.models.wire.reading import Counts, ResponseReader, response_reader

__all__ = ["Counts", "ResponseReader", "response_reader"]
