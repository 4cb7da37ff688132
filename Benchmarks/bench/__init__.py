"""Measures the command `vault`: beside its floors, as it grows, in instructions, and beside other tools."""
