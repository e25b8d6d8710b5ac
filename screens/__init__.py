"""The terminal workbench: the only place that imports textual."""
