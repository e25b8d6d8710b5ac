"""The keys of all screens, and `docs/keys.md`, which `python -m screens.keys` writes."""

from __future__ import annotations

from pathlib import Path

from engines.core.files import write_text
from screens.registry import SCREEN_KEYS, SCREENS, Entry
from screens.shell.keymap import APP_KEYS, LIST_KEYS, TEXT_KEYS, VERBS, VIEW_KEYS, Key, key_text


def catalogue() -> list[tuple[str, tuple[Key, ...]]]:
    shared = [
        ("Everywhere", SCREEN_KEYS + APP_KEYS),
        ("On every screen", VIEW_KEYS),
        ("In lists", LIST_KEYS),
        ("In texts and logs", TEXT_KEYS),
    ]
    return shared + [(f"{entry.key} {entry.title}", entry.load_keys()) for entry in SCREENS]


def document() -> str:
    lines = [
        "# Keys",
        "",
        "The same letter means the same verb on every screen. `?` lists the keys that apply where you are.",
        'Remap them in the settings file, by id (`[keymap]`, `jobs.stop = "z"`) or by verb for all screens',
        '(`stop = "z"`). This page is written by `python -m screens.keys`.',
    ]
    lines += ["", "## One letter, one verb", ""]
    lines += [f"| key | {' | '.join(entry.title for entry in SCREENS)} |", "|---" * (len(SCREENS) + 1) + "|"]
    for verb, known in VERBS.items():
        labels = [_label(entry, verb) for entry in SCREENS]
        if any(labels):
            lines.append(f"| `{key_text(known.keys[0])}` | {' | '.join(labels)} |")
    for title, keys in catalogue():
        lines += ["", f"## {title}", "", "| key | id | what it does |", "|---|---|---|"]
        for key in keys:
            shown = " ".join(f"`{key_text(name)}`" for name in key.keys)
            sentence = key.sentence.replace("|", "\\|")
            lines.append(f"| {shown} | {key.id} | {sentence} |")
    return "\n".join(lines) + "\n"


def _label(entry: Entry, verb: str) -> str:
    return next((key.label for key in entry.load_keys() if key.id == f"{entry.name}.{verb}"), "")


def main() -> None:
    write_text(Path(__file__).parent.parent / "docs" / "keys.md", document())


if __name__ == "__main__":
    main()
