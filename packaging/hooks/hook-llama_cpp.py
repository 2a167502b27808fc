"""PyInstaller: put llama.cpp's libraries where llama_cpp looks for them, in its folder `lib`.

It loads them through ctypes by a path of its own, so nothing finds them by itself.
"""

from PyInstaller.utils.hooks import collect_dynamic_libs

binaries = collect_dynamic_libs("llama_cpp", destdir="llama_cpp/lib")
# The server is another program, and images are no part of a conversation.
excludedimports = ["llama_cpp.server", "llama_cpp.mtmd_cpp", "llama_cpp.llava_cpp"]
