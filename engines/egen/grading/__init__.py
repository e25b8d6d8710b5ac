"""Answers against references: the answer of a solution is found, read and judged.

`answers` finds it, `forms` reads it, `compare` judges two of them, `grade` is the verb, and
`adapters` fit it into evaluation harnesses and training.
"""
