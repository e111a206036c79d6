"""Properties of a policy that hold for all calls, found by deciding one call of every region. No model, no solver."""
