"""Lengths of texts as Qt counts them."""


def units(text: str) -> int:
    """Return how many units of UTF-16 a text has."""
    return len(text) + sum(char > "\uffff" for char in text)
