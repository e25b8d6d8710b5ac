"""The dummy paper in the workbench."""
