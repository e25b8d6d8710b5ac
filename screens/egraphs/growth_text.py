"""What is written in the line that grows expressions: an expression, then settings of `egen generate`.

`sqrt(x^2*y) where x > 0 weights trig=4 members 50` names the settings by the words of the specification, in
any order; `where` is another word for `assume`. A setting that is added to `Generate` is read here, and its
type, range and choices are checked, without another line of code. Where the user's configuration has a
setting of the same name (`SettingKey`), growth begins with its value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.core.errors import EngineError
from screens.egraphs.columns import describe_error
from workbench.config import load_config

if TYPE_CHECKING:
    from engines.core.spec import Field


def list_settings() -> Mapping[str, Field]:
    """Return the settings that can be written behind an expression, by name."""
    from engines.core.spec import describe_fields
    from engines.egen.generation import Generate

    return {
        field.name: field
        for field in describe_fields(Generate)
        if not (field.required or field.arg.hidden or field.arg.writes or field.name == "notation")
    }


def usual_settings() -> dict[str, Any]:
    """Return the settings with which growth begins: those of the specification, or the user's own."""
    from engines.egen.settings import style_of

    own = load_config().settings
    fields = list_settings()
    results = {name: fields[name].default for name in ("members", "seed")}
    results |= {name: own[f"egen.{name}"].value for name in fields if f"egen.{name}" in own}
    if own["egen.style"].origin == "default":
        # Without a style of the user's own the mode decides: the paper's draws whatever the rules give.
        results["style"] = style_of(results["mode"])
    return results


def parse_growth(text: str) -> tuple[str, dict[str, Any], str]:
    """Read what is to be grown: `sqrt(x^2*y) where x > 0 weights trig=4`, `A u B theory sets`.

    Returns:
        The prefix form, the settings that the text names, and an empty string; or an empty string, no
        settings and what is wrong.
    """
    from engines.core.expression_language import to_prefix
    from engines.core.spec import parse
    from engines.egen.generation import Generate
    from engines.egen.settings import normalise_family_weights
    from engines.egen.theories.registry import theory_of
    from engines.egen.theories.user_theories import theory_file
    from engines.mathematics.assumptions import read_assumptions

    fields = list_settings()
    written, clauses = _split_clauses(text, fields)
    try:
        # Everything is read before anything is returned, so that the first mistake is reported.
        settings = {name: parse(fields[name], value) for name, value in clauses.items() if value}
        Generate(written, **settings)
        if (name := settings.get("theory", "reals")) != "reals":
            settings["theory"] = str(theory_file(name)) if name.endswith(".toml") else name
            theory = theory_of(settings["theory"], settings.get("assume", ""))
            return to_prefix(theory.read_term(written)), _to_plain(settings), ""
        head = theory_of("reals", "").read_term(written)
        settings["assume"] = str(read_assumptions(settings.get("assume", "")))
        settings["weights"] = normalise_family_weights(settings.get("weights", ""))
        theory = theory_of("reals", settings["assume"], head)
    except EngineError as error:
        return "", {}, describe_error(error)
    return ("", {}, theory.unwritten) if theory.unwritten else (to_prefix(head), _to_plain(settings), "")


def _split_clauses(text: str, fields: Mapping[str, Field]) -> tuple[str, dict[str, str]]:
    """Return the expression, and for each setting what is written between its name and the next."""
    names = {"where": "assume", **{name: name for name in fields}}
    words = [match for match in re.finditer(r"\S+", text) if match[0] in names]
    ends = [*(match.start() for match in words[1:]), len(text)]
    clauses = {names[word[0]]: text[word.end() : end].strip() for word, end in zip(words, ends, strict=False)}
    # A switch alone is on: `holes` is `holes true`.
    clauses |= {name: "true" for name, value in clauses.items() if not value and fields[name].kind is bool}
    return text[: words[0].start() if words else None].strip(), clauses


def _to_plain(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that say something, as the engine process takes them."""
    return {
        name: str(value) if isinstance(value, Path) else value
        for name, value in settings.items()
        if value not in (None, "")
    }
