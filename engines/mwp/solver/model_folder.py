"""Model folders of solvers: what was learned, and what it stands on.

Of a solver on the built-in MiniLM only what differs from it is stored; one on another pretrained encoder
holds that too, with its tokenizer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engines.core.errors import DataError, unloadable
from engines.core.files import write_bytes, write_json
from engines.core.spec import read, refused, values
from engines.core.system import torch_device
from engines.mwp.solver.reading import TokenReader, WordReader
from engines.mwp.solver.settings import CODE, SolverSettings
from engines.mwp.solver.solver import Solver, around, built_in, from_vocabulary, opened
from engines.mwp.solver.words import Words
from engines.retrieval.encoders import BUILT_IN, fingerprint

FILE = "solver.json"
_WEIGHTS = "model.safetensors"
_ENCODER = "encoder"
_VERSION = 1


def save_solver(solver: Solver, folder: Path) -> None:
    """Write a solver into a folder; the card is the trainer's."""
    import torch
    from safetensors.torch import save

    description: dict[str, Any] = {
        "version": _VERSION,
        "settings": values(solver.settings),
        "operators": solver.words.operators,
        "constants": solver.words.constants,
        "languages": solver.languages,
        "base": solver.base,
        "learned": " ".join(sorted(solver.learned)),
        "chosen": " ".join(sorted(solver.chosen)),
        **({"note": solver.note} if solver.note else {}),
    }
    weights = dict(solver.state_dict())
    if solver.base == BUILT_IN:
        description["base_fingerprint"] = fingerprint(built_in())
        learned = {name for name, weight in solver.named_parameters() if weight.requires_grad}
        weights = {name: weight for name, weight in weights.items() if name in learned}
    elif isinstance(solver.reader, TokenReader):
        solver.reader.tokenizer.save_pretrained(folder / _ENCODER)
        solver.encoder.model.config.save_pretrained(folder / _ENCODER)
    elif isinstance(solver.reader, WordReader):
        description["vocabulary"] = solver.reader.vocabulary
    kind = torch.float16 if solver.settings.precision == "fp16" else torch.float32
    stored = {name: weight.detach().cpu().to(kind).contiguous().clone() for name, weight in weights.items()}
    write_bytes(folder / _WEIGHTS, save(stored))
    write_json(folder / FILE, description)


def open_solver(
    folder: str | Path, *, device: str = "auto", settings: SolverSettings | None = None
) -> Solver:
    """A solver from its folder, ready to solve.

    Args: settings: others than its own, for a training that begins with its weights.
    Raises: DataError E680 for a folder that holds none, or one whose files do not belong together;
    EngineError E678 for settings of another encoder.
    """

    folder = Path(folder)
    try:
        description: Mapping[str, Any] = json.loads((folder / FILE).read_bytes())
        version = description["version"]
        own = read(SolverSettings, description["settings"], place="settings.", code=CODE)
        words = Words(tuple(description["operators"]), tuple(description["constants"]))
        base, languages = description["base"], tuple(description.get("languages", ()))
        learned, chosen, note = (str(description.get(key, "")) for key in ("learned", "chosen", "note"))
    except (OSError, ValueError, KeyError, TypeError) as error:
        what = f"this is no solver's folder: {FILE} is missing or corrupt"
        raise _wrong(folder, what, "Name a folder that mathwb train wrote with an mwp recipe.") from error
    if version != _VERSION:
        raise _wrong(folder, f"the solver is of version {version}, and {_VERSION} is read", "Train it again.")
    settings = settings or own
    if settings.encoder != own.encoder:
        what = f"the solver's encoder is {own.encoder}, not {settings.encoder}, which was requested"
        raise refused(what, CODE, f"Set model.encoder={own.encoder}.")
    if "vocabulary" in description:
        solver = from_vocabulary(settings, words, description["vocabulary"])
    elif base == BUILT_IN:
        if description["base_fingerprint"] != fingerprint(built_in()):
            raise _wrong(folder, "it was trained on another MiniLM than the one installed", "Train it again.")
        solver = around(settings, words, *opened(built_in()), base)
    else:
        solver = around(settings, words, *_empty(folder / _ENCODER), base)
    _fill(solver, folder)
    solver.languages, solver.note = languages, note
    solver.learned, solver.chosen = frozenset(learned.split()), frozenset(chosen.split())
    return solver.to(torch_device(device)).eval()


def _empty(folder: Path) -> tuple[Any, Any]:
    import transformers

    try:
        own: Any = {"local_files_only": True, "trust_remote_code": False}
        config = transformers.AutoConfig.from_pretrained(str(folder), **own)
        tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder), **own)
        return transformers.AutoModel.from_config(config), tokenizer
    except Exception as error:  # the library raises whatever the fault happens to lead to
        what = "the solver's encoder cannot be opened"
        raise _wrong(folder, *unloadable(what, error, "Copy the folder again, whole.")) from error


def _fill(solver: Solver, folder: Path) -> None:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        stored = {name: weight.float() for name, weight in load_file(folder / _WEIGHTS).items()}
        result = solver.load_state_dict(stored, strict=False)
    except (OSError, RuntimeError, ValueError, SafetensorError) as error:
        first = str(error).strip().splitlines()[0][:200]
        raise _wrong(
            folder, f"the weights cannot be read: {first}", "Copy the folder again, whole."
        ) from error
    frozen = {name for name, weight in solver.named_parameters() if not weight.requires_grad}
    frozen |= {name for name, _ in solver.named_buffers()}
    lost = [name for name in result.missing_keys if solver.base != BUILT_IN or name not in frozen]
    if lost or result.unexpected_keys:
        name = (*lost, *result.unexpected_keys)[0]
        raise _wrong(folder, f"weights and description do not match: {name}", "Train it again.")


def _wrong(folder: Path, what: str, remedy: str) -> DataError:
    return DataError(what, path=folder, code="E680", remedy=remedy)
