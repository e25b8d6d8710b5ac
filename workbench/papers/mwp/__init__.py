"""Math word problems in the workbench."""
