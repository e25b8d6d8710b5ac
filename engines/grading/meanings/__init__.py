"""What answers in words mean: verdicts and classes, lists of statements, sets and named objects."""
