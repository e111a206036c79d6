"""Second looks at a reading: it is refused if its tools and tests do not show what the words say."""
