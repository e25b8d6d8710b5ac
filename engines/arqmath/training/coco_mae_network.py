"""The network of Coco-MAE: an encoder, and a decoder that must rely on the encoder's state of another span.

The contrastive loss is that of coCondenser (Gao and Callan 2022), of cosines over a temperature instead of
inner products; the decoder is that of CoT-MAE (Wu et al. 2022), in layers of its own that begin at random.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engines.arqmath.training.pretraining import word_head
from engines.training.loop import rows_of_all

if TYPE_CHECKING:
    import torch


def coco_mae(language: Any, *, layers: int) -> torch.nn.Module:
    """A language model with a decoder of so many layers beside it.

    `encoded(ids, attention)` gives states (spans, length, width), `decoded(ids, attention, first)` those of
    the decoder: it reads embeddings, and `first` (spans, width) in the place of each span's first token.
    `words` is the head of both.
    """
    from torch import nn

    config = language.config

    class CocoMae(nn.Module):  # type: ignore[misc]  # an untyped library
        def __init__(self) -> None:
            super().__init__()
            self.language = language
            layer = nn.TransformerEncoderLayer(
                config.hidden_size,
                config.num_attention_heads,
                config.intermediate_size,
                dropout=config.hidden_dropout_prob,
                activation="gelu",
                layer_norm_eps=config.layer_norm_eps,
                batch_first=True,
            )
            self.decoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)

        @property
        def words(self) -> Any:
            return word_head(self.language)

        def encoded(self, ids: torch.Tensor, attention: torch.Tensor) -> torch.Tensor:
            states: torch.Tensor = self.language.base_model(
                input_ids=ids, attention_mask=attention
            ).last_hidden_state
            return states

        def decoded(self, ids: torch.Tensor, attention: torch.Tensor, first: torch.Tensor) -> torch.Tensor:
            import torch

            base = self.language.base_model
            read = base.embeddings(input_ids=ids)
            if config.model_type == "albert":  # its embeddings are narrower than its states
                read = base.encoder.embedding_hidden_mapping_in(read)
            read = torch.cat([first.unsqueeze(1).to(read.dtype), read[:, 1:]], 1)
            states: torch.Tensor = self.decoder(read, src_key_padding_mask=attention == 0)
            return states

    return CocoMae()


def span_scores(
    firsts: torch.Tensor, *, temperature: float, among: torch.Tensor | None = None, begin: int = 0
) -> tuple[torch.Tensor, torch.Tensor]:
    """Cosines over temperature of every span with all spans but itself, and where its post's other one is.

    Args: firsts: (2 x posts, width), first the posts' earlier spans, then the later ones. among: those of all
    that they are compared with, in the same order (none: the same); `begin`: the first own post there.
    Returns: (2 x posts, 2 x all posts), itself at minus infinity, and (2 x posts,).
    """
    import torch
    from torch.nn.functional import normalize

    among = firsts if among is None else among
    count, all_ = len(firsts) // 2, len(among) // 2
    rows = begin + torch.arange(count, device=firsts.device)
    itself, other = torch.cat([rows, all_ + rows]), torch.cat([all_ + rows, rows])
    cosines = normalize(firsts.float(), dim=-1) @ normalize(among.float(), dim=-1).T
    columns = torch.arange(len(among), device=firsts.device)
    return (cosines / temperature).masked_fill(columns == itself.unsqueeze(1), -torch.inf), other


def own_span(firsts: torch.Tensor, *, temperature: float) -> torch.Tensor:
    """The contrastive loss in nats, the mean over spans; the spans of all processes are negatives.

    Args: firsts: as `span_scores` takes them.
    """
    import torch
    from torch.nn.functional import cross_entropy

    together, begin = rows_of_all(torch.cat(firsts.chunk(2), -1))
    among = torch.cat(together.chunk(2, -1))
    return cross_entropy(*span_scores(firsts, temperature=temperature, among=among, begin=begin))
