from archivist.services.bus import Bus, LessonsChanged, SegmentsChanged, TurnsArrived


def test_listeners_get_their_own_kind_of_event_until_they_stop() -> None:
    bus = Bus()
    got: list[object] = []
    stop = bus.listen(TurnsArrived, got.append)
    bus.tell(TurnsArrived("codex", "/x", 3))
    bus.tell(SegmentsChanged())
    stop()
    bus.tell(TurnsArrived("codex", "/x", 4))
    assert got == [TurnsArrived("codex", "/x", 3)]


def test_a_listener_may_stop_while_it_is_called() -> None:
    bus = Bus()
    got: list[LessonsChanged] = []

    def once(event: LessonsChanged) -> None:
        got.append(event)
        stop()

    stop = bus.listen(LessonsChanged, once)
    bus.listen(LessonsChanged, got.append)
    bus.tell(LessonsChanged())
    bus.tell(LessonsChanged())
    assert len(got) == 3
