"""For tests of your own: models that fail as real ones do, and models that say what a test wrote.

`faulty` wraps any model and injects failures; `scripted` answers with a list of replies or with a function.
"""

from retouch.models.faulty import faulty
from retouch.testing.scripted import Answer, Scripted, scripted

__all__ = ["Answer", "Scripted", "faulty", "scripted"]
