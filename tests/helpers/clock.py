"""A clock that stands still until it is told to move."""


class FakeClock:
    """UTC milliseconds; calling it gives the time."""

    def __init__(self, now: int = 1_790_000_000_000) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now

    def tick(self, *, seconds: float) -> None:
        """Move on."""
        self.now += int(seconds * 1000)
