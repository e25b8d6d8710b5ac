"""A problem and its solution as one sequence of GPT-2, `PROBLEM: …SOLUTION: …`; the solution is learned.

Also the tokenizer: digits are tokens of their own (paper section 4.3), so that numbers are read digit by
digit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

__all__ = [
    "END",
    "HINT",
    "prompt",
    "single_digits",
    "train_tokenizer",
]

END = "<|endoftext|>"
HINT = "HINT"
"""A solution that begins with this word comes out shorter; the training knows nothing of it."""


def prompt(problem: str, *, hint: bool = False) -> str:
    """What a solution is written after.

    >>> prompt("What is 1+1?", hint=True)
    'PROBLEM: What is 1+1?SOLUTION: HINT'
    """
    return f"PROBLEM: {problem}SOLUTION: {HINT if hint else ''}"


def single_digits(tokenizer: PreTrainedTokenizerFast) -> PreTrainedTokenizerFast:
    """The same tokenizer with every digit a token of its own: as if no merge had a digit in it. Ids stay."""
    from tokenizers.pre_tokenizers import Digits, PreTokenizer
    from tokenizers.pre_tokenizers import Sequence as Steps

    backend = tokenizer.backend_tokenizer
    first: PreTokenizer = Digits(individual_digits=True)
    if "Digits" not in str(backend.pre_tokenizer):
        backend.pre_tokenizer = Steps([first, backend.pre_tokenizer])
    if tokenizer.eos_token is None:
        tokenizer.add_special_tokens({"eos_token": END})
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def train_tokenizer(texts: Iterable[str], size: int) -> PreTrainedTokenizerFast:
    """A byte-level BPE tokenizer of at most `size` tokens, learned from texts; digits apart."""
    from tokenizers import Tokenizer
    from tokenizers.decoders import ByteLevel as Joined
    from tokenizers.models import BPE
    from tokenizers.pre_tokenizers import ByteLevel, Digits
    from tokenizers.pre_tokenizers import Sequence as Steps
    from tokenizers.trainers import BpeTrainer
    from transformers import PreTrainedTokenizerFast

    backend = Tokenizer(BPE())
    backend.pre_tokenizer = Steps([Digits(individual_digits=True), ByteLevel(add_prefix_space=False)])
    backend.decoder = Joined()
    trainer = BpeTrainer(
        vocab_size=size, special_tokens=[END], initial_alphabet=ByteLevel.alphabet(), show_progress=False
    )
    backend.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=backend, eos_token=END, bos_token=END, pad_token=END)
