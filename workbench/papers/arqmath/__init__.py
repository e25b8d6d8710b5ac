"""ARQMath in the workbench."""
