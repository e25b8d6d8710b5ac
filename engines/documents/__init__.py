"""Documents with formulas: LaTeX, Markdown, notebooks, HTML, rows and posts, and where each formula is."""
