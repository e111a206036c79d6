"""The rules of one server: read from answers, patched where execution shows that it helps, edited by hand."""
