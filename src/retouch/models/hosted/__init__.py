"""The adapter to real providers through pydantic-ai: nothing outside this package names its types or a client's.

It is imported at the first call of a real model. The client libraries' own retries are off; ours stand around it.
"""

from retouch.models.hosted.call import Hosted

__all__ = ["Hosted"]
