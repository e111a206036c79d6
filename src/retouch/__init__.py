"""Makes LLM-written artifacts trustworthy and mends only what is wrong with them."""
