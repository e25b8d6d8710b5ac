"""A paper that counts words."""
