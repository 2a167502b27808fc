"""How much the gate hides, how much it spoils, and how fast it is. Prints one JSON object.

`--data` is a file of the form of `data/secrets/cases.json`: texts with secrets in pieces, and
clean look-alikes. A secret is hidden when no run of 12 characters of it is left, its first piece
set apart.

`recall`: the share of secrets hidden, by shape (own: known by its form, keyword: by the name
beside it, generic: passwords, addresses, key blocks) and of all. `keep_changed`: the share of
look-alikes that must come out byte for byte and do not; `may_change`: of those that may be hidden.
`pii_recall`: null, the gate leaves personal data alone. `mb_per_s`: megabytes of UTF-8 a second of
processor time on 20 MB of generated strings of transcripts, each cleaned by itself.
"""

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS.parent / "app"), str(TESTS)]

from archivist import shipped  # noqa: E402
from archivist.domain.redaction import Gate  # noqa: E402
from helpers.shared import shared_folder, why_missing  # noqa: E402

CASES: Final = "data/secrets/cases.json"
MEGABYTES: Final = 20
RUN: Final = 12
Case: TypeAlias = Mapping[str, Any]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; 1 when there is no data."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, help=f"default: ../shared/{CASES}")
    parser.add_argument("--out", type=Path, help="also write the JSON object to this file")
    options = parser.parse_args(argv)
    shared = shared_folder()
    data = options.data or (shared / CASES if shared else None)
    if data is None:
        print(why_missing(CASES), file=sys.stderr)
        return 1
    gate = shipped.gate()
    figures = measure(gate, json.loads(data.read_text(encoding="utf-8")))
    print(f"cleaning {MEGABYTES} MB of generated strings", file=sys.stderr)
    figures["mb_per_s"] = round(speed(gate, megabytes=MEGABYTES), 1)
    line = json.dumps(figures)
    if options.out is not None:
        options.out.write_text(line + "\n", encoding="utf-8")
    print(line)
    return 0


def measure(gate: Gate, cases: Sequence[Case]) -> dict[str, Any]:
    """Return recall by shape and the shares of clean texts that were changed."""
    hidden, secrets = Counter[str](), Counter[str]()
    changed, clean = Counter[str](), Counter[str]()
    for case in cases:
        text = built(case)
        out = gate.clean(text).text
        if case["kind"] == "clean":
            clean[case["tolerance"]] += 1
            changed[case["tolerance"]] += out != text
        elif case["kind"] == "secret":
            for shape in (case["shape"], "all"):
                secrets[shape] += 1
                hidden[shape] += not any(leaks(parts, out) for parts in case["parts"])
    return {
        "recall": {s: share(hidden[s], secrets[s]) for s in ("own", "keyword", "generic", "all")},
        "keep_changed": share(changed["keep"], clean["keep"]),
        "may_change": share(changed["may"], clean["may"]),
        "pii_recall": None,
    }


def built(case: Case) -> str:
    """Return the text of a case with its secrets put together."""
    text = str(case["text"])
    for place, parts in enumerate(case["parts"]):
        text = text.replace(f"{{{place}}}", "".join(parts))
    return text


def leaks(parts: Sequence[str], out: str) -> bool:
    """Tell whether a run of a secret is left; of a key block in five pieces the body counts."""
    if len(parts) == 5:
        tail, out = parts[2].replace("\n", ""), out.replace("\n", "")
    else:
        tail = "".join(parts[1:]) or parts[0]
    run = min(RUN, len(tail))
    return any(tail[at : at + run] in out for at in range(len(tail) - run + 1))


def share(part: int, whole: int) -> float | None:
    """Return a share to four digits, None of nothing."""
    return round(part / whole, 4) if whole else None


def speed(gate: Gate, *, megabytes: int) -> float:
    """Return the megabytes of UTF-8 cleaned in a second of processor time."""
    texts = list(transcript_strings(megabytes * 1_000_000))
    size = sum(len(text.encode()) for text in texts)
    began = time.process_time()
    for text in texts:
        gate.clean(text)
    return size / 1_000_000 / (time.process_time() - began)


def transcript_strings(size: int) -> Iterator[str]:
    """Yield strings as transcripts hold them until there are `size` bytes, always the same."""
    dice = random.Random(7)
    makers = (prompt, answer, answer, code, listing, log, records)
    made = 0
    while made < size:
        text = dice.choice(makers)(dice)
        made += len(text.encode())
        yield text


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


HEX: Final = "0123456789abcdef"
LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def drawn(dice: random.Random, count: int, alphabet: str = LETTERS) -> str:
    """Return characters drawn by a machine."""
    return "".join(dice.choices(alphabet, k=count))


if __name__ == "__main__":
    raise SystemExit(main())
