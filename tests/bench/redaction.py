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
from helpers.transcript_texts import (  # noqa: E402
    answer,
    code,
    listing,
    log,
    prompt,
    records,
)

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


if __name__ == "__main__":
    raise SystemExit(main())
