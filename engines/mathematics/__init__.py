"""What expressions mean: terms, numbers, algebra."""
