"""E-Gen's registration."""

from __future__ import annotations

from workbench.paper import Paper, Trainer

__all__ = ["PAPER"]

_DATA = ("corpus", "exclude", "backbone")
_SETTINGS = ("engines.egen.models.settings:Settings", "engines.egen.models.settings:ModelConfig")

PAPER = Paper(
    name="egen",
    key="1",
    title="E-graphs",
    help="Equivalent expressions: generate, verify, store, explore.",
    operations="workbench.papers.egen.operations:OPERATIONS",
    trainers=(
        Trainer("egen.contrastive", "engines.egen.models.trainers:contrastive", _SETTINGS, _DATA, "backbone"),
        Trainer("egen.seq2seq", "engines.egen.models.trainers:seq2seq", _SETTINGS, _DATA, "backbone"),
        Trainer(
            "egen.composed",
            "engines.egen.composed.trainer:composed",
            ("engines.egen.composed.trainer:ComposedSettings", "engines.egen.composed.network:ComposedSizes"),
            _DATA,
            "backbone",
        ),
        Trainer(
            "egen.semvec",
            "engines.egen.semvec.trainer:semvec",
            ("engines.egen.semvec.trainer:SemVecSettings",),
            ("classes", "backbone"),
            "backbone",
        ),
    ),
    kinds="workbench.papers.egen.data:KINDS",
    settings="workbench.papers.egen.settings:KEYS",
    folder="corpora",
    doctor="workbench.papers.egen.doctor:examine",
    tour="workbench.papers.egen.tour:tour",
    references={
        "corpus": "workbench.papers.egen.models:corpus_path",
        "model": "workbench.papers.egen.models:model_path",
    },
    defaults={
        "egen.mode": (("egen.generate", "mode"),),
        "egen.style": (("egen.generate", "style"),),
        "egen.order": (("egen.generate", "order"),),
        "egen.max_tokens": (("egen.generate", "max_tokens"),),
    },
)
