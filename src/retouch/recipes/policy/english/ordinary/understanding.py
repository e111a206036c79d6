"""Reads an ordinary sentence: all its readings, their meaning for the tools, and whether that agrees with its words."""

from __future__ import annotations
