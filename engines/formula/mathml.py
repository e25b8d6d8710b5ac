"""MathML as elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engines.core.errors import DataError

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["mathml_root"]


def mathml_root(xml: str) -> _Element:
    """The outermost element, without comments; nothing outside the text is read. Raises: DataError E317 for
    text that is no XML."""
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True, huge_tree=True
    )
    try:
        return etree.fromstring(xml.encode(), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise DataError(f"not well-formed MathML: {error}", code="E317") from error
