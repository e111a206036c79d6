"""The rules of one server: parsed from answers, patched if execution confirms it, or edited by the user."""
