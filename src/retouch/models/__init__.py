"""Models without a network, and wrappers for any model.

    offline    the recipe's own rules
    replay     recorded replies, by the hash of the whole request; `recordings.recording` writes them
    faulty     any model, with the failures that real models show
    wrappers   functions Model -> Model: retries, a concurrency limit, a usage meter

Open a model by name with `retouch.engine.recipe.open_model`. This package imports none of them by itself.
"""
