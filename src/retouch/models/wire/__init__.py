"""Parses provider responses from their bytes, by the rules of the protocols, without a client library.

`response_reader` gets the bytes of one response, in any chunks, and collects text, reasoning, finish reason, usage and
request id. `models/hosted` sends requests and feeds it.
"""

from retouch.models.wire.reading import Counts, ResponseReader, response_reader

__all__ = ["Counts", "ResponseReader", "response_reader"]
