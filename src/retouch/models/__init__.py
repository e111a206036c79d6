"""Models that need no network, and what can be wrapped around any model.

offline    the recipe's own rule-based answerer
replay     recorded replies, by the hash of the whole request; `recordings.recording` writes them
faulty     any model, with the failures that real models show
wrappers   functions Model -> Model: more tries, a limit, a meter

Open one by name with `retouch.engine.recipe.open_model`; this package imports none of them by itself.
"""
