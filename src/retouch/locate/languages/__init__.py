"""The languages in which definitions can be located."""
