"""A plane picture of vectors: PCA or t-SNE."""

from __future__ import annotations

from collections.abc import Sequence
from colorsys import hls_to_rgb
from html import escape
from typing import TYPE_CHECKING, Literal

from engines.core.spec import refused

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engines.retrieval.similarity import Vectors

__all__ = ["Method", "picture", "plane", "refuse_idle_seed"]

Method = Literal["pca", "tsne"]
PERPLEXITY = 30.0


def refuse_idle_seed(method: Method, seed: int) -> None:
    """Raises: EngineError E427 for a seed of PCA, which draws nothing."""
    if method == "pca" and seed:
        raise refused("PCA draws nothing by a seed", "E427", "Leave out --seed, or choose tsne.")


def plane(vectors: Vectors, method: Method = "tsne", *, seed: int = 0) -> NDArray[np.float32]:
    """(rows, 2) coordinates. t-SNE with perplexity 30, or a third of the rows where they are few."""
    import numpy as np

    if method == "pca" or len(vectors) < 5:
        centred = vectors - vectors.mean(0)
        _, _, axes = np.linalg.svd(centred, full_matrices=False)
        flat: NDArray[np.float32] = np.zeros((len(vectors), 2), np.float32)
        found = centred @ axes[:2].T
        # The sign of an axis is free: the largest coordinate points up.
        found *= np.sign(found[np.abs(found).argmax(0), np.arange(found.shape[1])])
        flat[:, : found.shape[1]] = found
        return flat
    from sklearn.manifold import TSNE

    perplexity = min(PERPLEXITY, (len(vectors) - 1) / 3)
    made = TSNE(2, perplexity=perplexity, init="pca", random_state=seed).fit_transform(vectors)
    return np.asarray(made, np.float32)


def _colour(number: int, count: int) -> str:
    red, green, blue = hls_to_rgb(number / count, (0.42, 0.55, 0.35)[number % 3], 0.75)
    return f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"


def picture(points: NDArray[np.float32], names: Sequence[str], title: str = "", *, size: int = 720) -> str:
    """An SVG of points (rows, 2) coloured by name, with the names beside it. Every name has a shape of its
    own too, so that it is known without colour."""
    order = list(dict.fromkeys(names))
    low, high = points.min(0), points.max(0)
    scale = (size - 40) / max(float((high - low).max()), 1e-9)
    places = 20 + (points - low) * scale
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size + 110} {size + 30}" '
        f'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="20" y="18">{escape(title)}</text>',
    ]
    for number, name in enumerate(order):
        paint = _colour(number, len(order))
        rows = [row for row, other in enumerate(names) if other == name]
        marks = [_mark(number, float(places[row, 0]), float(size + 20 - places[row, 1])) for row in rows]
        lines.append(
            f'<g fill="{paint}" fill-opacity="0.7"><title>{escape(name)}</title>{"".join(marks)}</g>'
        )
        height = 40 + 18 * number
        lines.append(f'<g fill="{paint}">{_mark(number, size + 20, height - 4)}</g>')
        lines.append(f'<text x="{size + 32}" y="{height}">{escape(name)}</text>')
    return "\n".join([*lines, "</svg>\n"])


def _mark(number: int, x: float, y: float) -> str:
    kind = number % 4
    if kind == 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"/>'
    if kind == 1:
        return f'<rect x="{x - 2.7:.1f}" y="{y - 2.7:.1f}" width="5.4" height="5.4"/>'
    if kind == 2:
        return f'<path d="M{x:.1f} {y - 3.6:.1f}l3.4 6h-6.8z"/>'
    return f'<path d="M{x:.1f} {y - 3.8:.1f}l3.8 3.8l-3.8 3.8l-3.8 -3.8z"/>'
