"""Tells that a memory file was touched, whoever did it and however."""

from collections.abc import Iterable

from PySide6.QtCore import QFileInfo, QFileSystemWatcher, QObject, Signal


class FileWatch(QObject):
    """Watches files and their folders: editors replace a file, which ends the watch on it."""

    touched = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._watcher = QFileSystemWatcher(self)
        self._watcher.fileChanged.connect(self._tell)
        self._watcher.directoryChanged.connect(self._tell)

    def follow(self, paths: Iterable[str]) -> None:
        """Watch these files, and no others."""
        infos = [QFileInfo(path) for path in paths]
        wanted = {info.filePath() for info in infos} | {info.path() for info in infos}
        wanted = {path for path in wanted if QFileInfo.exists(path)}
        watched = {*self._watcher.files(), *self._watcher.directories()}
        if gone := watched - wanted:
            self._watcher.removePaths(sorted(gone))
        if fresh := wanted - watched:
            self._watcher.addPaths(sorted(fresh))

    def _tell(self) -> None:
        self.touched.emit()
