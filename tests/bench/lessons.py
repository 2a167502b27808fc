"""How good the lessons are on labelled sessions of real assistants. Prints one JSON object.

`--data` is a file of the form of `data/sessions`: sessions with turns, labelled statements (worth
keeping, clear or maybe) and traps (look-alikes that are not). Every session goes through the rules
the way the archive sends a segment through them; the same wording twice counts once, as in review.

`rules`: `precision` is the share of lessons whose quote overlaps a labelled statement of its turn,
`recall` the share of the clear statements found, `traps` the share of traps proposed; `recall_all`
counts the doubtful statements too, `kind` is the share of hits with the labelled kind, `per_100`
lessons per 100 user turns, `ms_per_turn` processor time. `by_lang`: the same by language.
"""

import argparse
import json
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS.parent / "app"), str(TESTS)]

from archivist import shipped  # noqa: E402
from archivist.domain.lessons import (  # noqa: E402
    LessonDraft,
    SaidTurn,
    lessons_from,
    normal_form,
)
from helpers.shared import shared_folder, why_missing  # noqa: E402

SESSIONS: Final = "data/sessions/dev.json"
Session: TypeAlias = Mapping[str, Any]
Span: TypeAlias = tuple[int, int]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; 1 when there is no data."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, help=f"default: ../shared/{SESSIONS}")
    parser.add_argument("--out", type=Path, help="also write the JSON object to this file")
    options = parser.parse_args(argv)
    shared = shared_folder()
    data = options.data or (shared / SESSIONS if shared else None)
    if data is None:
        print(why_missing(SESSIONS), file=sys.stderr)
        return 1
    line = json.dumps(measure(json.loads(data.read_text(encoding="utf-8"))["sessions"]))
    if options.out is not None:
        options.out.write_text(line + "\n", encoding="utf-8")
    print(line)
    return 0


def measure(sessions: Sequence[Session]) -> dict[str, Any]:
    """Return the figures of the rules, pooled and by language."""
    by_lang: defaultdict[str, Counter[str]] = defaultdict(Counter)
    shipped.cues()
    spent = 0.0
    for session in sessions:
        started = time.process_time()
        proposed = propose(session)
        spent += time.process_time() - started
        by_lang[session["lang"]].update(count(session, proposed))
    pooled = sum(by_lang.values(), Counter())
    users = max(1, pooled["users"])
    return {
        "rules": {
            **figures(pooled),
            "ms_per_turn": round(1000 * spent / users, 3),
            "by_lang": {lang: figures(counts) for lang, counts in sorted(by_lang.items())},
        }
    }


def propose(session: Session) -> list[LessonDraft]:
    """The lessons of a session, each wording once."""
    said: list[SaidTurn] = []
    before = ""
    for turn in session["turns"]:
        if turn["role"] == "user":
            said.append(SaidTurn(turn["i"], turn["text"], before))
            before = ""
        else:
            before = turn["text"]
    once: dict[str, LessonDraft] = {}
    for draft in lessons_from(said, shipped.cues()):
        once.setdefault(normal_form(draft.text), draft)
    return list(once.values())


def count(session: Session, proposed: Sequence[LessonDraft]) -> Counter[str]:
    """Count hits, finds and traps of one session."""
    texts = {turn["i"]: turn["text"] for turn in session["turns"]}
    statements, traps = session["statements"], session["traps"]
    found: set[int] = set()
    trapped: set[int] = set()
    counts: Counter[str] = Counter(
        users=sum(turn["role"] == "user" for turn in session["turns"]),
        proposed=len(proposed),
        labelled=len(statements),
        clear=sum(statement["strength"] == "clear" for statement in statements),
        traps=len(traps),
    )
    for draft in proposed:
        here = list(spans(texts[draft.turn], draft.quote))
        hit = best_hit(draft, here, statements, texts, found)
        if hit is None:
            trapped.update(overlapping(draft, here, traps, texts))
            continue
        counts["hits"] += 1
        counts["same_kind"] += statements[hit]["kind"] == draft.kind
        found.add(hit)
        # A lesson that spans further statements finds them as well.
        found.update(overlapping(draft, here, statements, texts))
    counts["found_all"] = len(found)
    counts["found_clear"] = sum(statements[index]["strength"] == "clear" for index in found)
    counts["trapped"] = len(trapped)
    return counts


def best_hit(
    draft: LessonDraft,
    here: Sequence[Span],
    statements: Sequence[Session],
    texts: Mapping[int, str],
    found: set[int],
) -> int | None:
    """The statement that a lesson counts for: said there before repeated, then the same kind."""
    same = set(overlapping(draft, here, statements, texts))
    repeated = {
        index
        for index, statement in enumerate(statements)
        if here and draft.turn in statement.get("also_turns", ())
    }
    ranked = [
        (
            index in same,
            statements[index]["kind"] == draft.kind,
            statements[index]["strength"] == "clear",
            index not in found,
            -index,
        )
        for index in same | repeated
    ]
    return -max(ranked)[-1] if ranked else None


def overlapping(
    draft: LessonDraft, here: Sequence[Span], labels: Sequence[Session], texts: Mapping[int, str]
) -> Iterator[int]:
    """The labels of the same turn whose quotes overlap the lesson's."""
    for index, label in enumerate(labels):
        if label["turn"] == draft.turn and any(
            start < other_end and other_start < end
            for start, end in here
            for other_start, other_end in spans(texts[label["turn"]], label["quote"])
        ):
            yield index


def spans(text: str, quote: str) -> Iterator[Span]:
    """Every place of a quote in a text, whatever the white space."""
    words = quote.split()
    if words:
        for match in re.finditer(r"\s+".join(map(re.escape, words)), text):
            yield match.span()


def figures(counts: Counter[str]) -> dict[str, float]:
    def share(part: str, whole: str) -> float:
        return round(counts[part] / counts[whole], 4) if counts[whole] else 0.0

    return {
        "precision": share("hits", "proposed"),
        "recall": share("found_clear", "clear"),
        "traps": share("trapped", "traps"),
        "recall_all": share("found_all", "labelled"),
        "kind": share("same_kind", "hits"),
        "per_100": round(100 * counts["proposed"] / max(1, counts["users"]), 1),
        "proposed": counts["proposed"],
    }


if __name__ == "__main__":
    sys.exit(main())
