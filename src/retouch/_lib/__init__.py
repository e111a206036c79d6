"""Modules that know nothing of generating, checking or models; each could be a library of its own."""
