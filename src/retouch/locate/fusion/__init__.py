"""From hints of several strategies to one order of candidates; knows nothing of any language."""
