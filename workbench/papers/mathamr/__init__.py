"""MathAMR in the workbench."""
