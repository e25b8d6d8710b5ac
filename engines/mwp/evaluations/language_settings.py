"""How a language model is asked for word problems: the settings, and the prompts of each mode."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from engines.chat.settings import ChatSettings
from engines.core.errors import DataError
from engines.core.files import file_error
from engines.core.spec import Arg, make_refusal

PromptMode = Literal["direct", "chain", "program"]
"""direct: the answer alone. chain: reasoning first. program: named steps, which are evaluated here."""

PLACE = "{problem}"
"""What stands for the problem in a prompt."""
_ALONE = "the answer alone, with its unit if it has one."
_PROMPTS: dict[PromptMode, str] = {
    "direct": f"{PLACE}\n\nReply with one line `ANSWER: ` and {_ALONE}",
    "chain": f"{PLACE}\n\nReason step by step. End with a line `ANSWER: ` and {_ALONE}",
    "program": (
        f"{PLACE}\n\nWrite a program that computes the answer. Every line is `name = expression` over "
        "numbers, names of earlier lines, + - * / ^ and brackets, and nothing else. The last line gives "
        "`answer`.\n\nExample:\n```\nboxes = 12 * 5\nanswer = boxes - 7\n```"
    ),
}


@dataclass(frozen=True, slots=True)
class PromptSettings:
    """How a language model is asked. A spec holds it as `Flat` settings, and calls `check_settings`."""

    mode: Annotated[
        PromptMode,
        Arg(
            "With --llm: ask for the answer alone, for reasoning and the answer, or for a program of named "
            "steps, which is evaluated here."
        ),
    ] = "chain"
    samples: Annotated[
        int, Arg("With --llm: answers to draw for each problem; the commonest counts.", low=1, high=1_000)
    ] = 1
    temperature: Annotated[
        float | None,
        Arg("With --llm: temperature.", low=0, high=2, shown="0, for several samples 0.7"),
    ] = None
    prompt: Annotated[
        Path | None,
        Arg(
            "With --llm: a text file with the prompt, examples too; {problem} in it stands for the problem.",
            shown="one for each mode",
        ),
    ] = None

    def check_settings(self, chat: ChatSettings) -> None:
        """Refuse settings of prompts where no language model is asked.

        Raises:
            EngineError: E427.
        """
        if chat.llm is None and self != PromptSettings():
            what = "--mode, --samples, --temperature and --prompt are for a language model"
            raise make_refusal(what, "E427", "Name its address with --llm.")
        if self.samples > 1 and self.temperature == 0:
            what = "several samples at temperature 0 are all the same"
            raise make_refusal(what, "E427", "Raise --temperature, or leave --samples out.")

    @property
    def warmth(self) -> float:
        """The temperature that is asked for."""
        return (0.7 if self.samples > 1 else 0.0) if self.temperature is None else self.temperature

    def read_prompt(self) -> str:
        """Return the prompt, with `{problem}` where the problem goes.

        Raises:
            DataError: E317 for a file without that place, and as reading a file does.
        """
        if self.prompt is None:
            return _PROMPTS[self.mode]
        try:
            text = self.prompt.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            remedy = "Save it as UTF-8, for example with: iconv -t UTF-8"
            raise DataError(
                "the prompt is not UTF-8 text", path=self.prompt, code="E315", remedy=remedy
            ) from None
        except OSError as error:
            raise file_error(error, self.prompt, "read") from error
        if PLACE not in text:
            remedy = f"Write {PLACE} where the problem goes."
            raise DataError(f"the prompt has no {PLACE}", path=self.prompt, code="E317", remedy=remedy)
        return text
