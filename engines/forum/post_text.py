r"""A post's HTML as plain text with every formula between dollar signs, as TU_DBS cleans.

`<span class="math-container" id="7">$$x^2$$</span>` becomes `$x^2$`, and so do `$$x^2$$`, `\(x^2\)` and
`\[x^2\]` of posts as Stack Exchange publishes them; `\begin{align}…\end{align}` that stands alone becomes
`$\begin{align}…\end{align}$`. Other markup is dropped, the ends of blocks become line breaks. Written for
throughput: the bodies of a million posts pass through here.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

from engines.formula.lexer import remove_comments

_FORMULA = re.compile(
    r"<span\b(?=[^>]*\bmath-container\b)(?:[^>]*?\bid\s*=\s*[\"']?([\w.-]+)[\"']?)?[^>]*>"
    r"((?:[^<]++|<(?!/?span\b))*+)</span\s*>",
    re.IGNORECASE,
)
_PLAIN_FORMULA = re.compile(r'<span class="math-container" id="([\w.-]+)">([^<]*)</span>')
"""As ARQMath writes nearly all of them, and several times as fast."""
_DELIMITED = re.compile(
    r"(?<!\\)(?P<mark>\$?)(?:\\\((.{1,2000}?)(?<!\\)\\\)|\\\[(.{1,2000}?)(?<!\\)\\\])(?P=mark)"
    r"|\$\$([^$]{1,2000})\$\$"
    r"|(?<!\\)(?P<dollar>\$\s*)?(?P<display>\\begin\s*\{(?P<name>(?:equation|align|alignat|flalign|gather"
    r"|multline|eqnarray)\*?)\}.{1,5000}?\\end\s*\{(?P=name)\})(?(dollar)\s*\$)"
    r"|(?<![\\$])(?P<inline>\$[^$\n]+\$)(?!\$)",
    re.DOTALL,
)
"""Formulas between other marks than single dollars, and environments that are formulas by themselves; and
what stands between single dollars, so that what is within it is not taken for one of these."""
_BRACKETED = re.compile(r"\\\(((?:(?!\\\)).)*)\\\)|\\\[((?:(?!\\\]).)*)\\\]")
_PLAIN = re.compile(r"(\$\$?)([^$]+)\1")
_HIDDEN = re.compile(r"<!--.*?-->|<(script|style)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_BLOCK = re.compile(r"</?(?:p|br|div|li|ul|ol|blockquote|pre|h[1-6]|hr|tr|table)\b[^>]*>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^>]*>")
_UNEVEN = ("  ", "\t", "\xa0", "\r", "\f", "\v")
_MARK = "\x00"
"""Stands for a formula while the text around it is cleaned; U+0000 cannot occur in XML or HTML text."""


@dataclass(frozen=True, slots=True)
class CleanText:
    """`text` with formulas in place; `formulas` are those that the HTML marks, as (id or "", LaTeX) in their
    order."""

    text: str
    formulas: tuple[tuple[str, str], ...]


def clean_body(body: str) -> str:
    """Return the text of a post's HTML, formulas as `$latex$`."""
    return clean_with_formulas(body).text


def clean_with_formulas(body: str) -> CleanText:
    """Return the text of a body and the formulas in it.

    >>> clean_with_formulas('<p>Is <span class="math-container" id="q_1">$$a&lt;b$$</span>?</p>')
    CleanText(text='Is $a<b$?', formulas=(('q_1', 'a<b'),))
    """
    text, formulas = _take_formulas(body.replace(_MARK, ""))
    if "<" in text:
        if "<!--" in text or "<s" in text or "<S" in text:
            text = _HIDDEN.sub(" ", text)
        text = text.replace("<p>", "\n").replace("</p>", "\n")
        if "<" in text:
            text = _TAG.sub("", _BLOCK.sub("\n", text))
    text = unescape_html(text)
    text = _in_dollars(text)
    if any(space in text for space in _UNEVEN):
        text = "\n".join([line for part in text.split("\n") if (line := " ".join(part.split()))])
    elif "\n" in text:
        text = "\n".join([line for part in text.split("\n") if (line := part.strip())])
    else:
        text = text.strip()
    if formulas:
        pieces = text.split(_MARK)
        parts = [pieces[0]]
        for (_, latex), piece in zip(formulas, pieces[1:], strict=False):
            parts.append(f"${latex}${piece}")
        text = "".join(parts)
    return CleanText(text, tuple(formulas))


def _in_dollars(text: str) -> str:
    """Return a text with its formulas between single dollar signs, whatever they stood between."""
    if "\\(" in text or "\\[" in text or "$$" in text or "\\begin" in text:
        return _DELIMITED.sub(_replace_delimiters, text)
    return text


def _replace_delimiters(match: re.Match[str]) -> str:
    """Return a formula between other delimiters; what holds dollars or another formula is none."""
    if match["inline"]:
        return match[0]
    latex = " ".join(remove_comments(match[2] or match[3] or match[4] or match["display"]).split())
    return f"${latex}$" if latex and "$" not in latex and _MARK not in latex else match[0]


def clean_plain(text: str) -> CleanText:
    r"""Return a text that is no HTML, and its formulas.

    >>> clean_plain(r"Is \(2^{% 10}\) even?")
    CleanText(text='Is $2^{10}$ even?', formulas=(('', '2^{10}'),))
    """
    text = _PLAIN.sub(lambda match: f"{match[1]}{remove_comments(match[2])}{match[1]}", _in_dollars(text))
    return CleanText(" ".join(text.split()), tuple(("", match[2]) for match in _PLAIN.finditer(text)))


def broken_formulas(body: str, cleaned: CleanText) -> int:
    """Return how many formulas of a body could not be found in the text, as their HTML is broken."""
    missing = body.count("math-container") - len(cleaned.formulas)
    if missing > 0:
        # ARQMath's tagger went over some posts twice: a span that only holds another one is no formula.
        missing -= body.count('<span class="math-container"><span class="math-container"')
    return max(0, missing)


def unescape_html(text: str) -> str:
    """Return a text with HTML's character references resolved once.

    The four that the escaping of HTML itself needs are replaced directly, which is much faster.
    """
    if "&" not in text:
        return text
    simple = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"')
    count = simple.count("&")
    if not count:
        return simple
    # `&amp;` comes last: what it yields is not looked at again.
    return simple.replace("&amp;", "&") if count == simple.count("&amp;") else html.unescape(text)


def _take_formulas(text: str) -> tuple[str, list[tuple[str, str]]]:
    """Return the text with a mark for each formula, and the formulas: (id or "", LaTeX)."""
    parts = _PLAIN_FORMULA.split(text)
    marked = _MARK.join(parts[::3])
    if "math-container" not in marked:
        return marked, list(zip(parts[1::3], _extract_latex(parts[2::3]), strict=True))
    ids: list[str] = []
    sources: list[str] = []

    def take(match: re.Match[str]) -> str:
        ids.append(match.group(1) or "")
        sources.append(_TAG.sub("", match.group(2)) if "</" in match.group(2) else match.group(2))
        return _MARK

    marked = _FORMULA.sub(take, text)
    return marked, list(zip(ids, _extract_latex(sources), strict=True))


def _extract_latex(escaped: list[str]) -> list[str]:
    """Return the LaTeX of formulas as HTML has it: without what delimits it, white space as single spaces."""
    together = unescape_html(_MARK.join(escaped))
    if "%" in together:
        together = _MARK.join(map(remove_comments, together.split(_MARK)))
    if "\n" in together or any(space in together for space in _UNEVEN):
        together = " ".join(together.split())
    return [_strip_delimiters(latex.strip("$ ")) for latex in together.split(_MARK)] if escaped else []


def _strip_delimiters(latex: str) -> str:
    """Return a formula without the brackets of LaTeX around it."""
    inside = _BRACKETED.fullmatch(latex) if latex.startswith(("\\(", "\\[")) else None
    return (inside[1] or inside[2] or "").strip() if inside else latex
