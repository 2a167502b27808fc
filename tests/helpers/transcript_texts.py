"""Make texts as transcripts hold them: prompts, answers, code, listings, logs, records.

The same dice give the same texts.
"""

import json
import random
from typing import Final

WORDS: Final = (
    "the a to of and in it is that for on with this as be not we are you have from can should "
    "file test error code function change project server user data when run build session "
    "request update config fix add check return value type list import module default class "
    "path parser index line search archive memory segment lesson writer encode queue window "
    "render column release branch commit review deploy layout margin schema table query thread "
    "worker process socket buffer "
).split()
TELLING: Final = "key token password secret auth author credentials keyboard tokens pass".split()
OTHER: Final = "我们决定先用词法检索再看向量检索 データベースを使います Größenänderung".split()
HEX: Final = "0123456789abcdef"
LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def word(dice: random.Random) -> str:
    """Return a word; one in two hundred is one that secrets also have beside them."""
    return dice.choice(TELLING if dice.random() < 0.005 else WORDS)


def sentence(dice: random.Random) -> str:
    """Return a sentence; a few have a word of another script."""
    words = [word(dice) for _ in range(dice.randint(4, 18))]
    if dice.random() < 0.04:
        words.append(dice.choice(OTHER))
    return " ".join(words).capitalize() + dice.choice("........?!:")


def prompt(dice: random.Random) -> str:
    """Return what a person types; a few hold a secret."""
    text = " ".join(sentence(dice) for _ in range(dice.randint(1, 6)))
    if dice.random() < 0.03:
        text += f" my key is {'gh' + 'p_'}{drawn(dice, 36)}"
    return text


def answer(dice: random.Random) -> str:
    """Return what an assistant says, in paragraphs and lists."""
    paragraphs = (" ".join(sentence(dice) for _ in range(dice.randint(1, 7))) for _ in range(6))
    return "\n\n- ".join(paragraphs) + f"\n\nSee `src/{word(dice)}.py`."


def code(dice: random.Random) -> str:
    """Return a piece of code."""
    lines = []
    for _ in range(dice.randint(10, 120)):
        one, two, three = (word(dice) for _ in range(3))
        lines.append(
            dice.choice(
                (
                    f"    {one}_{two} = self.{three}.get({two!r}, None)",
                    f"def {one}_{two}({three}: str, limit: int = 0) -> dict[str, {two.title()}]:",
                    f'        return {{"{one}": {two}, "at": {three}.at, "id": {one}.id}}',
                    f"    # {one} {two} {three}",
                    f"    if not {one}.{two}: raise ValueError('{two} {three}')",
                )
            )
        )
    return "\n".join(lines)


def listing(dice: random.Random) -> str:
    """Return the output of a command that lists files."""
    rows = (
        f"-rw-r--r-- 1 dev dev {dice.randint(10, 99999):>8} Nov {dice.randint(1, 30):>2} 10:{n:02}"
        f" src/{word(dice)}/{word(dice)}_{word(dice)}.ts"
        for n in range(dice.randint(5, 200))
    )
    return "\n".join(rows)


def log(dice: random.Random) -> str:
    """Return lines of a log with times and ids."""
    rows = (
        f"2026-01-{dice.randint(1, 28):02}T10:{n % 60:02}:07.679Z level=info "
        f"request_id={drawn(dice, 8, HEX)}-{drawn(dice, 4, HEX)}-4{drawn(dice, 3, HEX)} "
        f"path=/v1/{word(dice)} ms={dice.randint(1, 900)} {word(dice)}"
        for n in range(dice.randint(5, 150))
    )
    return "\n".join(rows)


def records(dice: random.Random) -> str:
    """Return JSON as tools answer it."""
    rows = [
        {
            "id": f"toolu_01{drawn(dice, 22)}",
            "uuid": f"{drawn(dice, 8, HEX)}-{drawn(dice, 4, HEX)}-{drawn(dice, 4, HEX)}",
            "sha": drawn(dice, 40, HEX),
            "usage": {"input_tokens": dice.randint(1, 9000), "cache_key": word(dice)},
            "text": sentence(dice),
        }
        for _ in range(dice.randint(1, 40))
    ]
    return json.dumps(rows)


def drawn(dice: random.Random, count: int, alphabet: str = LETTERS) -> str:
    """Return characters drawn by a machine."""
    return "".join(dice.choices(alphabet, k=count))
