"""Every sentence for people goes through `tr` or `tr_n`, so that it can be translated as a whole.

The English sentence is its own key. Values are named in braces and filled in after translation.
"""

from collections.abc import Mapping

_catalogue: dict[str, str] = {}


def use(catalogue: Mapping[str, str]) -> None:
    """Take another language's sentences; English sentences without an entry stay English."""
    _catalogue.clear()
    _catalogue.update(catalogue)


def tr(sentence: str, /, **values: object) -> str:
    """Return the sentence in the person's language with its values filled in."""
    return _catalogue.get(sentence, sentence).format_map(values)


def tr_n(one: str, many: str, n: int, /, **values: object) -> str:
    """Return the sentence for one or for several; `n` is filled in as {n}."""
    return tr(one if n == 1 else many, n=n, **values)
