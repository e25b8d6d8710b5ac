"""The names of the scopes of a text: its headings, environments and the words that begin its parts."""

from __future__ import annotations

from collections.abc import Mapping

PART_LEADS = ("[Ff]or", "[Ii]n", "[Aa]t", "[Aa]s for", "[Nn]ow for", "[Cc]onsider", "[Tt]urning to")
"""Words before the letter of a part of an exercise, which a sentence begins with that is about that part."""
HEADINGS = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph")
ENVIRONMENTS: Mapping[str, str] = {
    "theorem": "theorem thm lemma lem proposition prop corollary cor claim conjecture fact result law rule",
    "definition": "definition defn def define notation axiom convention",
    "example": "example examples exampl ex eg xmpl worked illustration demo",
    "exercise": """
        exercise exercises exer exc xca problem problems prob question questions quiz task activity project
        checkpoint exploration
    """,
    "proof": "proof pf sketch",
    "solution": "solution solutions sol answer answers exsol hint explanation",
    "remark": "remark remarks rem note notes aside warning insight commentary caution",
    "list": "enumerate itemize description list tasks parts exparts questionlist compactenum",
}
"""The kinds of scopes, by the names of environments and the words that begin them."""
_LONG_WORD = 6
"""Letters of a word that says also within another name what an environment is, as in `nexercise`."""
_KINDS = {name: kind for kind, names in ENVIRONMENTS.items() for name in names.split()}


def scope_kind(name: str, *, within: bool = False) -> str:
    """Return the kind of scope that an environment or a heading of that name begins; "" for none.

    Args: within: a word that says so may stand within the name.

    >>> [scope_kind(name, within=True) for name in ("thm", "Examples*", "mytheorem", "center")]
    ['theorem', 'example', 'theorem', '']
    """
    plain = name.lower().rstrip("*")
    if not within:
        return _KINDS.get(plain, "")
    inside = (kind for word, kind in _KINDS.items() if len(word) >= _LONG_WORD and word in plain)
    return _KINDS.get(plain) or next(inside, "")
