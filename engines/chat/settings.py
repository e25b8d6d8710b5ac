"""The settings by which every command asks a language model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from engines.core.errors import EngineError
from engines.core.spec import Arg

if TYPE_CHECKING:
    from engines.chat.cached_client import Chat, Prices


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """Which language model is asked, and what it may cost. A spec holds it as `Flat` settings, and calls
    `check_settings` when it is made."""

    llm: Annotated[
        str | None,
        Arg(
            "The OpenAI-compatible address of a language model.",
            metavar="URL",
            shown="nothing is sent",
            sends=True,
        ),
    ] = None
    llm_model: Annotated[str | None, Arg("Its name there.", name="model", metavar="NAME", sends=True)] = None
    price_in: Annotated[
        float | None, Arg("Price of a million input tokens, to compute the cost.", low=0, sends=True)
    ] = None
    price_out: Annotated[float | None, Arg("Price of a million output tokens.", low=0, sends=True)] = None
    budget: Annotated[
        float | None,
        Arg("Stop asking when this much is spent, by the prices; the next run continues.", low=0, sends=True),
    ] = None

    def check_settings(self) -> None:
        """Refuse settings that do not belong together, before anything is sent or recorded.

        Raises:
            EngineError: E427, also for an address that holds a password.
        """
        if self.llm is None:
            if self.llm_model or any(
                cost is not None for cost in (self.price_in, self.price_out, self.budget)
            ):
                what = "--model and prices are for a language model"
                raise EngineError(what, code="E427", remedy="Name its address with --llm.")
            return
        if not self.llm_model:
            what, remedy = "--llm takes exactly one model", "Name it with --model, without a folder."
            raise EngineError(what, code="E427", remedy=remedy)
        if self.budget is not None and not (self.price_in or self.price_out):
            raise EngineError("a budget needs prices", code="E427", remedy="Name --price-in and --price-out.")
        from engines.chat.http_client import Endpoint

        Endpoint.open(self.llm)

    @property
    def prices(self) -> Prices:
        """The prices of the language model."""
        from engines.chat.cached_client import Prices

        return Prices(self.price_in or 0.0, self.price_out or 0.0)

    def open_chat(self, cache: Path | None, *, longest: int | None = None) -> Chat:
        """Return the language model.

        Args:
            cache: The folder of what can be made again; answers are kept in `answers` there.
            longest: The most tokens of an answer.
        """
        from engines.chat.cached_client import Chat

        assert self.llm is not None
        assert self.llm_model is not None
        folder = cache and cache / "answers"
        return Chat(self.llm, self.llm_model, folder, prices=self.prices, budget=self.budget, longest=longest)

    def add_cost(self, summary: dict[str, Any]) -> dict[str, Any]:
        """Return what `Chat.summary` says, with the cost where there are prices."""
        if self.price_in is None and self.price_out is None:
            return summary
        cost = self.prices.cost(summary["prompt_tokens"], summary["completion_tokens"])
        return {**summary, "cost": cost}
