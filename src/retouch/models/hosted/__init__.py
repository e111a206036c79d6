"""The adapter to real providers through pydantic-ai. Code outside of this package does not use its types.

It is imported at the first call of a real model. The retries of the client libraries are turned off, because Retouch
has its own.
"""

from retouch.models.hosted.call import Hosted

__all__ = ["Hosted"]
