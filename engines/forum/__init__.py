"""Collections of ARQMath as files: posts, topics, tables of formulas, and the folder that they lie in."""
