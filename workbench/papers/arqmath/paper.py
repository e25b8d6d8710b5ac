"""ARQMath's registration."""

from __future__ import annotations

from workbench.paper import DataKey, Paper, Trainer

__all__ = ["PAPER"]

PAPER = Paper(
    name="arqmath",
    key="4",
    title="ARQMath",
    help="Answer retrieval: evaluate and compare runs.",
    operations="workbench.papers.arqmath.operations:OPERATIONS",
    trainers=(
        Trainer(
            "arqmath.pretrain",
            "engines.arqmath.training.pretraining:pretrain",
            ("engines.arqmath.training.settings:PretrainSettings",),
            data=("collection", "amps", "backbone"),
            begins="backbone",
        ),
        Trainer(
            "arqmath.coco-mae",
            "engines.arqmath.training.coco_mae:coco_mae",
            ("engines.arqmath.training.settings:CocoMaeSettings",),
            data=("collection", "backbone"),
            begins="backbone",
        ),
        Trainer(
            "arqmath.crossencoder",
            "engines.arqmath.training.finetuning:crossencoder",
            ("engines.arqmath.training.settings:FinetuneSettings",),
            data=("collection", "backbone", "annotated", "run", "hard_negatives", "exclude"),
            begins="backbone",
        ),
        Trainer(
            "arqmath.reranker",
            "engines.arqmath.training.reranking:reranker",
            ("engines.arqmath.training.settings:RerankSettings",),
            data=("collection", "backbone", "run", "exclude"),
            begins="backbone",
        ),
        Trainer(
            "arqmath.encoder",
            "engines.arqmath.training.dense_encoder:encoder",
            ("engines.arqmath.training.settings:DenseSettings",),
            data=("collection", "backbone", "run", "exclude"),
            begins="backbone",
        ),
        Trainer(
            "arqmath.splade",
            "engines.arqmath.training.splade:splade",
            ("engines.arqmath.training.settings:SpladeSettings",),
            data=("collection", "backbone", "run", "exclude"),
            begins="backbone",
        ),
        Trainer(
            "arqmath.generator",
            "engines.arqmath.generation.generator:generator",
            data=("collection", "amps", "backbone"),
            begins="backbone",
        ),
    ),
    kinds="workbench.papers.arqmath.data:KINDS",
    data=(DataKey("collection", "arqmath", "workbench.papers.arqmath.collections:place"),),
    folder="arqmath",
    tour="workbench.papers.arqmath.tour:tour",
    references={
        "index": "workbench.papers.arqmath.collections:index_path",
        "collection": "workbench.papers.arqmath.collections:collection_path",
        "source": "workbench.papers.arqmath.collections:source_path",
        "encoder": "workbench.papers.arqmath.collections:encoder_path",
    },
)
