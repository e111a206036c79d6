"""What is no engine and knows nothing of Retouch: files, processes, streams, and defects of Python worked around."""
