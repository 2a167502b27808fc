from archivist.texts import tr, tr_n, use


def test_values_are_filled_in_after_translation() -> None:
    assert tr("Read {n} files of {name}", n=3, name="codex") == "Read 3 files of codex"
    assert tr_n("{n} file", "{n} files", 1) == "1 file"
    assert tr_n("{n} file", "{n} files", 2) == "2 files"


def test_another_language_takes_the_whole_sentence_and_english_stays_where_it_has_none() -> None:
    use({"{n} files": "{n} Dateien"})
    try:
        assert tr_n("{n} file", "{n} files", 2) == "2 Dateien"
        assert tr("Other") == "Other"
    finally:
        use({})
    assert tr_n("{n} file", "{n} files", 2) == "2 files"
