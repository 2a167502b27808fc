"""PyInstaller: QtGui with the plugins that a window on a screen needs, and no others.

They are left out here, before PyInstaller follows what they are linked with: the plugin of GTK's
theme alone would bring forty libraries of this machine.
"""

from PyInstaller.utils.hooks.qt import add_qt6_dependencies

from devtools.bundle import is_wanted

hiddenimports, found, datas = add_qt6_dependencies(__file__)
binaries = [(source, target) for source, target in found if is_wanted(source)]
