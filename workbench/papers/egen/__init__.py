"""E-Gen in the workbench."""
