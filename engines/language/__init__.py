"""Language: sentences of English and Chinese text; an English tagger, lemmatiser and dependency parser.

The shipped pipeline is a spaCy folder of our own training; nothing is ever fetched.
"""
