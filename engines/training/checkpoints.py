"""Checkpoints: writing them so that a crash cannot spoil them, verifying, finding and pruning them.

A checkpoint names its training (`Identity`). `engines/training/loop.py` resumes from one, in
`_restore_checkpoint`. The card of a finished model is written here too.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from engines.core.distributions import installed_versions
from engines.core.errors import EngineError
from engines.core.files import atomic_folder, refuse_other, remove_folder, remove_stale_drafts, write_text
from engines.core.hashing import sha256
from engines.core.spec import make_refusal, to_mapping
from engines.training.task import Origin, TrainConfig, TrainingTask

if TYPE_CHECKING:
    import torch

NOT_THE_WEIGHTS = frozenset(("compile", "device", "eval_every", "keep", "log_every", "save_every"))
"""Where a training runs, and how often it reports."""
LENGTH = frozenset(("epochs", "steps"))
"""May be changed by who asks for it: checkpoint and card say at which step."""
_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Identity:
    """`settings`: trainer, seed, `model.*` and `train.*` by name with their values, `data.*` by content."""

    settings: Mapping[str, Any]

    @classmethod
    def of_task(cls, origin: Origin, config: TrainConfig) -> Identity:
        """Return the identity of a training: its trainer, settings and data."""
        train = to_mapping(config)
        seed = train.pop("seed")
        kept = {key: value for key, value in train.items() if key not in NOT_THE_WEIGHTS | LENGTH}
        return cls(
            {
                "trainer": origin.trainer,
                "seed": seed,
                **{f"data.{name}": hash_content(files) for name, files in sorted(origin.data.items())},
                **{f"model.{name}": value for name, value in sorted(origin.model.items())},
                **{f"train.{name}": value for name, value in sorted(kept.items())},
            }
        )

    @property
    def contents(self) -> dict[str, str]:
        """Return the hashes of the data by what they serve as."""
        kinds = {name: name.removeprefix("data.") for name in self.settings if name.startswith("data.")}
        return {kind: self.settings[name] for name, kind in kinds.items()}

    def describe_differences(self, there: Mapping[str, Any]) -> list[str]:
        """Return how settings that were written down differ from these, in words: `model.tau: 0.1 there, 0.9
        asked for`.
        """
        names = [*self.settings, *(name for name in there if name not in self.settings)]
        return [
            f"{name}: {_format_setting(name, there)} there, {_format_setting(name, self.settings)} requested"
            for name in names
            if (name in there) != (name in self.settings) or there.get(name) != self.settings.get(name)
        ]


def _format_setting(name: str, settings: Mapping[str, Any]) -> str:
    if name not in settings:
        return "nothing"
    return f"content {settings[name][:_SHOWN]}" if name.startswith("data.") else f"{settings[name]!r}"


def hash_content(files: Sequence[Path]) -> str:
    """Return a hash of what files hold; of a folder, of all files in it and their names there. Where they lie
    does not matter.
    """
    if len(files) == 1 and not files[0].is_dir():
        return sha256(files[0])
    digest = hashlib.sha256()
    for given in files:
        inner = [path for path in given.rglob("*") if path.is_file()] if given.is_dir() else [given]
        for file in sorted(inner):
            name = file.relative_to(given).as_posix() if given.is_dir() else file.name
            digest.update(f"{name} {sha256(file)}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def refuse_other_sizes(name: str, there: Mapping[str, Any], asked: Mapping[str, Any], code: str) -> None:
    """Refuse to start from a model whose sizes are not the requested ones.

    Args:
        name: The model.
        there: Its sizes.
        asked: The requested sizes.
        code: The code of the error.

    Raises:
        EngineError: `code`, if a size differs.
    """
    other = [
        f"{size} {there[size]} there, {asked[size]} requested" for size in asked if there[size] != asked[size]
    ]
    if other:
        what = f"{name} is a model of other sizes: {'; '.join(other)}"
        raise make_refusal(what, code, "Set them as they are there, or start from another model.")


# Checkpoints that a crash cannot spoil.
#
#     checkpoints/step-000500/    model.safetensors, training.pt, manifest.json
#                 latest              the name of the newest, for people
#
# A checkpoint appears whole or not at all. Only one whose manifest, with the sizes and hashes of its files,
# verifies is ever resumed from.

MANIFEST = "manifest.json"
VERSION = 2
"""Those of version 1 do not say which training they are of."""


class Checkpoint(NamedTuple):
    """A verified checkpoint; `facts` is the metadata that was saved with it."""

    folder: Path
    step: int
    facts: Mapping[str, Any]


def write(root: Path, step: int, files: Mapping[str, bytes], facts: Mapping[str, Any]) -> Path:
    """Write the checkpoint of a step so that it is there whole or not at all; one that is there is replaced.

    Args:
        files: Contents by file name.
        facts: JSON-able, kept in the manifest.

    Returns:
        Its folder.
    """
    final = root / f"step-{step:06d}"
    with atomic_folder(final, MANIFEST) as draft:
        for name, data in files.items():
            (draft / name).write_bytes(data)
        hashes = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
        sizes = {name: {"bytes": len(data), "sha256": hashes[name]} for name, data in files.items()}
        manifest = {"v": VERSION, "step": step, "files": sizes, **facts}
        (draft / MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    write_text(root / "latest", final.name + "\n")
    return final


def check_checkpoint(folder: Path) -> Checkpoint:
    """Check a checkpoint's files against the sizes and hashes in its manifest, and return the checkpoint.

    Raises:
        EngineError: E635 for a file that is missing or changed, or a manifest that cannot be read.
    """
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        files = dict(manifest["files"])
        step = int(manifest["step"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise corrupt_checkpoint_error(folder, "its manifest cannot be read") from error
    for name, known in files.items():
        try:
            size = (folder / name).stat().st_size
        except OSError as error:
            raise corrupt_checkpoint_error(folder, f"{name} is missing") from error
        if size != known["bytes"] or sha256(folder / name) != known["sha256"]:
            raise corrupt_checkpoint_error(folder, f"{name} is not what was written")
    return Checkpoint(folder, step, manifest)


def newest_checkpoint(
    root: Path, *, on_bad: Callable[[EngineError], None] = lambda _: None
) -> Checkpoint | None:
    """Return the newest checkpoint that verifies; each newer one that does not is reported to `on_bad`."""
    for _, folder in reversed(all_checkpoints(root)):
        try:
            return check_checkpoint(folder)
        except EngineError as error:
            on_bad(error)
    return None


def all_checkpoints(root: Path) -> list[tuple[int, Path]]:
    """Return the folders of finished checkpoints with their steps, oldest first, without verifying them."""
    result = []
    with contextlib.suppress(FileNotFoundError):
        for entry in os.scandir(root):
            _, dash, step = entry.name.partition("step-")
            if dash and step.isdecimal() and entry.is_dir():
                result.append((int(step), Path(entry.path)))
    return sorted(result)


def prune_checkpoints(root: Path, keep: int, *, protect: int | None = None) -> list[Path]:
    """Remove all but the newest `keep` checkpoints and the one of step `protect`, and unfinished ones.

    Returns:
        The checkpoints that were removed.
    """
    result = all_checkpoints(root)
    old = [folder for step, folder in result[: max(0, len(result) - keep)] if step != protect]
    for folder in old:
        remove_folder(folder, MANIFEST)
    remove_stale_drafts(root)
    return old


def refuse_foreign_folder(root: Path) -> None:
    """Refuse folders of the name of a checkpoint that are none."""
    for _, folder in all_checkpoints(root):
        refuse_other(folder, MANIFEST)


def corrupt_checkpoint_error(folder: Path, what: str) -> EngineError:
    """Return the error for a corrupt checkpoint."""
    remedy = "Resume from an older one, or start again in another folder."
    return EngineError(f"the checkpoint is corrupt: {what}", where=str(folder), code="E635", remedy=remedy)


@dataclass(slots=True)
class Best:
    """The best evaluation so far, and how many in a row have not been better."""

    step: int = 0
    value: float | None = None
    worse_in_a_row: int = 0
    measures: dict[str, float] = field(default_factory=dict)

    def is_best(self, step: int, measures: Mapping[str, float], config: TrainConfig) -> bool:
        """Take an evaluation into account.

        Returns:
            Whether it is the best.
        """
        value = measures[config.best]
        sign = -1 if config.best_is_lowest else 1
        if self.value is not None and not sign * value > sign * self.value:
            self.worse_in_a_row += 1
            return False
        self.step, self.value, self.worse_in_a_row, self.measures = step, value, 0, dict(measures)
        return True


def measure_model(task: TrainingTask, model: torch.nn.Module) -> dict[str, float]:
    """Return the task's measures; random numbers and training mode are as they were afterwards."""
    import torch

    before, training = get_random(), model.training
    model.eval()
    try:
        with torch.no_grad():
            return {name: float(value) for name, value in task.evaluate(model).items()}
    finally:
        model.train(training)
        put_random(before)


def get_random() -> dict[str, Any]:
    """Return the states of all random number generators of this process."""
    import numpy as np
    import torch

    name, keys, position, has_gauss, gauss = np.random.get_state(legacy=True)
    result: dict[str, Any] = {
        "python": random.getstate(),
        "numpy": (name, torch.from_numpy(np.asarray(keys, np.int64)), position, has_gauss, gauss),
        "torch": torch.get_rng_state(),
    }
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        result["cuda"] = torch.cuda.get_rng_state()
    return result


def put_random(saved: Mapping[str, Any]) -> None:
    """Set the states of all random number generators of this process."""
    import numpy as np
    import torch

    version, words, gauss = saved["python"]
    random.setstate((version, tuple(words), gauss))
    name, keys, *rest = saved["numpy"]
    np.random.set_state((name, keys.numpy().astype(np.uint32), *rest))
    torch.set_rng_state(saved["torch"])
    if "cuda" in saved and torch.cuda.is_available():
        torch.cuda.set_rng_state(saved["cuda"])


def weights_to_bytes(model: torch.nn.Module) -> bytes:
    """Return all weights and buffers as safetensors; what is shared is written once for each name."""
    from safetensors.torch import save

    # Copies, since safetensors refuses tensors that share memory.
    weights = model.state_dict().items()
    return save({name: value.detach().cpu().contiguous().clone() for name, value in weights})


def load_weights(model: torch.nn.Module, path: Path) -> None:
    """Load weights into a model."""
    from safetensors.torch import load_file

    model.load_state_dict(load_file(path))


def to_bytes(value: Any) -> bytes:
    """Return tensors and plain values as bytes, as torch saves them."""
    import torch

    buffer = io.BytesIO()
    torch.save(value, buffer)
    return buffer.getvalue()


def from_file(path: Path) -> Any:
    """Read what `to_bytes` made: tensors and plain values only.

    Raises:
        EngineError: E635 for anything else.
    """
    import pickle

    import torch

    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, ValueError, EOFError) as error:
        # The library's advice is to unpickle it all the same, which runs what it holds.
        raise corrupt_checkpoint_error(
            path.parent, f"{path.name} contains more than numbers, or was changed"
        ) from error


def library_versions() -> dict[str, str]:
    """Return the versions of the packages that the numbers depend on."""
    return installed_versions(("accelerate", "numpy", "torch", "transformers"))


_TOLD = ("device", "precision", "steps")
"""Settings whose outcome the result has."""


def model_card(
    title: str,
    about: str,
    facts: Mapping[str, Any],
    *,
    data: Mapping[str, object],
    limits: Sequence[str],
    use: str = "",
    tags: Sequence[str] = (),
) -> str:
    """Return a README.md as model hubs read it.

    Args:
        about: What the model is for, a paragraph.
        facts: What `TrainingTask.save` gets.
        data: What it was trained and measured on, by name.
        limits: What it must not be trusted with.
        use: Code that loads it.
    """
    result, config = facts["result"], facts["config"]
    changed = [f"{to['from']:,} to {to['to']:,} at step {to['at_step']:,}" for to in facts["steps_changed"]]
    # The lines between `---` are the metadata of model hubs.
    parts = [
        *("---", "license: apache-2.0", "library_name: transformers"),
        *(["tags:", *(f"- {tag}" for tag in tags)] if tags else []),
        "---",
        "",
        f"# {title}",
        "",
        about,
        "",
        *(["## Use", "", "```python", use.strip(), "```", ""] if use else []),
        "## Training data",
        "",
        *_settings_table(data),
        "## Measures",
        "",
        *_settings_table({name: f"{value:.4g}" for name, value in result["measures"].items()}),
        "## Training",
        "",
        *_settings_table(
            {
                "steps": f"{result['step']:,} (this model: step {result['best_step']:,})",
                "examples": f"{result['examples']:,}",
                "tokens": f"{result['tokens']:,}",
                "weights": f"{result['parameters']:,}",
                "device": f"{result['device']}, {result['precision']}",
                "time": f"{result['seconds']:,.0f} s",
                **({"number of steps changed": "; ".join(changed)} if changed else {}),
                **{
                    name: value
                    for name, value in config.items()
                    if value not in (0, "", False) and name not in _TOLD
                },
                **facts["versions"],
            }
        ),
        "Everything else that determines the result is in `training.json`.",
        "",
        "## Limits",
        "",
        *(f"- {limit}" for limit in limits),
        "",
    ]
    return "\n".join(parts)


def _settings_table(rows: Mapping[str, object]) -> list[str]:
    lines = [f"| {name} | {str(value).replace('|', '/')} |" for name, value in rows.items()]
    return ["| | |", "|---|---|", *lines, ""]
