"""Measures the vault beside the tools that a person would pick instead."""
