"""The card of a model folder: what it is, what it was made from, how good it is, and where it fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_TOLD = ("device", "precision", "steps")
"""Settings whose outcome the result has."""


def card(
    title: str,
    about: str,
    facts: Mapping[str, Any],
    *,
    data: Mapping[str, object],
    limits: Sequence[str],
    use: str = "",
    tags: Sequence[str] = (),
) -> str:
    """A README.md as model hubs read it.

    Args: about: what the model is for, a paragraph. facts: what `TrainingTask.save` gets. data: what it was
    trained and measured on, by name. limits: what it must not be trusted with. use: code that loads it.
    """
    result, config = facts["result"], facts["config"]
    changed = [f"{to['from']:,} to {to['to']:,} at step {to['at_step']:,}" for to in facts["steps_changed"]]
    head = ["---", "license: apache-2.0", "library_name: transformers"]
    if tags:
        head += ["tags:", *(f"- {tag}" for tag in tags)]
    parts = [
        *head,
        "---",
        "",
        f"# {title}",
        "",
        about,
        "",
        *(["## Use", "", "```python", use.strip(), "```", ""] if use else []),
        "## Training data",
        "",
        *_table(data),
        "## Measures",
        "",
        *_table({name: f"{value:.4g}" for name, value in result["measures"].items()}),
        "## Training",
        "",
        *_table(
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


def _table(rows: Mapping[str, object]) -> list[str]:
    lines = [f"| {name} | {str(value).replace('|', '/')} |" for name, value in rows.items()]
    return ["| | |", "|---|---|", *lines, ""]
