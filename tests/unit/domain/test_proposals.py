from archivist.domain.knowledge import LessonId
from archivist.domain.memory_file import Hunk
from archivist.domain.proposals import HunkId, HunkState, StoredHunk, in_order


def stored(number: int, heading: str, *lessons: int) -> StoredHunk:
    said = tuple(LessonId(lesson) for lesson in lessons)
    return StoredHunk(HunkId(number), Hunk(heading, "- x", said, preselected=True), HunkState.OPEN)


def test_changes_are_ordered_by_heading_then_by_their_oldest_lesson() -> None:
    hunks = [
        stored(1, "A heading of before", 1),
        stored(2, "Facts", 2),
        stored(3, "Preferences", 7),
        stored(4, "Preferences", 9, 3),
        stored(5, "Preferences"),
    ]
    assert [one.id for one in in_order(hunks)] == [5, 4, 3, 2, 1]
