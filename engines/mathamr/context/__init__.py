"""Contexts: a text with a placeholder for each formula, and the sentences around one of them."""
