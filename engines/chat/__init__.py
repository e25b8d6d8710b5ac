"""Language models behind an OpenAI-compatible address: one client for all engines."""
