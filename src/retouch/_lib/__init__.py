"""General-purpose helpers, independent of the engine: files, processes, streams, workarounds for Python defects."""
