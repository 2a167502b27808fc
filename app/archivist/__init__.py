"""Archivist keeps, finds, understands and proposes what you and your AI assistants said."""

__version__ = "0.1.0"
