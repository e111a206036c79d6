"""Building prompts: the source, redaction before anything is sent, the first prompt, and the correction of a retry."""
