r"""LaTeX sources as their authors split them: what a file inputs, and what commands it defines.

A file that begins a document is a root; what it inputs, includes or uses, at any depth, belongs to it, and
formulas in all of it are read with the commands that any of it defines. Nothing outside the folder is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from posixpath import dirname, join, normpath

from engines.formula.brackets import find_closing
from engines.formula.lexer import DEFINITION, expand_macros, lex_latex

SUFFIXES = (".tex", ".ltx", ".sty", ".cls")
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_INPUT = re.compile(
    r"\\(?:input|include|subfile|subfileinclude|InputIfFileExists)\s*\{(?P<file>[^{}\n]+)\}"
    r"|\\input\s+(?P<bare>[\w./-]+)"
    r"|\\(?:sub)?(?:import|includefrom|inputfrom)\*?\s*\{(?P<folder>[^{}\n]*)\}\s*\{(?P<within>[^{}\n]+)\}"
    r"|\\documentclass\s*\[(?P<main>[^\[\]{}\n]+)\]\s*\{subfiles\}"
    r"|\\(?P<used>usepackage|RequirePackage|documentclass|LoadClass)\s*(?:\[[^\]]*\])?\s*\{(?P<names>[^{}]+)\}"
)
_NAME = re.compile(r"\s*\*?\s*(?:\{\s*(\\(?:[A-Za-z@]+|.))\s*\}|(\\(?:[A-Za-z@]+|.)))")
_LET = re.compile(r"\s*=?\s*(?:\\(?:[A-Za-z@]+|.)|\S)")
_ENVIRONMENT = re.compile(r"\\(?:begin|end)\s*\{|\\[\[\]]|\$\$")
_COMMAND = re.compile(r"\\(?:[A-Za-z@]+|.)")
_ENDS_IN_LETTER = re.compile(r"\\[A-Za-z]+\Z")
_TWO_GROUPS = ("DocumentCommand", "PairedDelimiter")
_SPACE = re.compile(r"\s*")
_FOLDER_COMMAND = re.compile(r"\\[A-Za-z]+/")
_PROGRAMMED = re.compile(
    r"\\(?:setbox|global|csname|catcode|futurelet|if(?:x|dim|num|case|odd|cat|[hvm]mode)|advance|newbox|wd|ht|dp"
    r"|docsvlist|iftag|makeatother|un[hv](?:box|copy)|box|copy|write|immediate|begingroup|tikz|halign|ooalign|begin\s*\{tikzpicture\})"
    r"(?![A-Za-z])"
)
"""What a definition has that draws or calculates: it makes no notation, and its name stays as it is."""
_MOST_DEFINITIONS = 5_000
_NEW_ENVIRONMENT = re.compile(
    r"\\(?:(?P<plain>(?:re)?newenvironment|(?:New|Renew|Provide|Declare)DocumentEnvironment)"
    r"|newtheorem|declaretheorem|NewTheorem)\*?\s*(?:\[[^\]]*\]\s*)?\{(?P<name>[A-Za-z]+\*?)\}"
)
_ARGUMENTS = re.compile(r"\s*(?:\[[^\]]*\]\s*)*")
_NAMED_ENVIRONMENT = re.compile(r"\\(?P<end>begin|end)\s*\{(?P<name>[A-Za-z]+\*?)\}")
_TITLE = re.compile(r"\{\s*([A-Za-z]+)|name\s*=\s*\{?\s*([A-Za-z]+)")
_ROOT = re.compile(r"\\documentclass|\\begin\s*\{document\}")


@dataclass(frozen=True, slots=True)
class Scan:
    """What a LaTeX file says of itself: the files it names, its definitions by name, and whether it begins a
    document.
    """

    inputs: tuple[tuple[str, ...], ...]
    definitions: Mapping[str, str]
    root: bool


def scan_tex(text: str) -> Scan:
    r"""Return the files that a LaTeX source inputs, the commands it defines, and whether it begins a
    document.

    >>> scan_tex(r"\input{a} \newcommand{\R}{\mathbb{R}}").definitions
    {'\\R': '\\newcommand{\\R}{\\mathbb{R}}'}
    """
    bare = _COMMENT.sub("", text)
    definitions = collect_definitions(bare)
    inputs: list[tuple[str, ...]] = []
    for match in _INPUT.finditer(bare):
        if match["used"]:
            suffix = ".cls" if "lass" in match["used"] else ".sty"
            inputs += [(f"{name.strip()}{suffix}",) for name in match["names"].split(",")]
        else:
            name = match["file"] or match["bare"] or match["main"]
            name = (name or join(match["folder"].strip(), match["within"].strip())).strip()
            names = [name]
            if command := _FOLDER_COMMAND.match(name):
                # Of a command that is defined elsewhere nothing is known, and the place of the file is tried.
                within = name[command.end() :]
                folder = _definition_body(definitions.get(command[0].removesuffix("/"), ""))
                names = [join(folder, within), within] if folder else [within]
            inputs.append(
                tuple(
                    each
                    for one in names
                    for each in ((one,) if one.lower().endswith(SUFFIXES) else (f"{one}.tex", one))
                )
            )
    return Scan(tuple(inputs), definitions, _ROOT.search(bare) is not None)


def collect_definitions(text: str) -> dict[str, str]:
    """Return the definitions of a text without comments, as they stand there, by the command that each
    defines; of several the last.
    """
    result: dict[str, str] = {}
    last = 0
    for match in DEFINITION.finditer(text):
        if match.start() < last:
            continue  # within the definition before
        named = _NAME.match(text, match.end())
        if named is None:
            continue
        name, at = named[1] or named[2], named.end()
        # \let has a token as its value, and every other definition a body in braces.
        if match[0] == "\\let":
            value = _LET.match(text, at)
            end = value.end() if value else -1
        else:
            # Skip the number of arguments, their defaults or the parameter text before the body.
            while text[at : at + 1].isspace() or text[at : at + 1] in ("[", "#"):
                at = text.find("]", at) + 1 if text[at] == "[" else at + 1 + (text[at] == "#")
                if not at:
                    break
            end = find_closing(text, at) + 1 if text[at : at + 1] == "{" else -1
            # A signature, or the other delimiter of a pair, is another group.
            if end > 0 and match[0].endswith(_TWO_GROUPS):
                begun = _SPACE.match(text, end)
                at = begun.end() if begun else end
                end = find_closing(text, at) + 1 if text[at : at + 1] == "{" else -1
        last = max(last, end)
        if end > 0 and not _PROGRAMMED.search(text, match.end(), end):
            result[name] = text[match.start() : end]
        # The limit protects against generated files; real projects have far fewer definitions.
        if len(result) == _MOST_DEFINITIONS:
            break
    return result | _collect_environments(text)


def _collect_environments(text: str) -> dict[str, str]:
    r"""Return the definitions of environments, as they stand there, by `\begin{name}`.

    >>> _collect_environments(r"\newtheorem{thm}[lemma]{Theorem}")
    {'\\begin{thm}': '\\newtheorem{thm}[lemma]{Theorem}'}
    """
    result: dict[str, str] = {}
    for match in _NEW_ENVIRONMENT.finditer(text):
        end = match.end()
        for _ in range(3 if "Document" in (match["plain"] or "") else 2 if match["plain"] else 1):
            begun = _ARGUMENTS.match(text, end)
            at = begun.end() if begun else end
            if text[at : at + 1] != "{" or (closing := find_closing(text, at)) < 0:
                break
            end = closing + 1
        result[rf"\begin{{{match['name']}}}"] = text[match.start() : end]
        if len(result) == _MOST_DEFINITIONS:
            break
    return result


def _read_groups(text: str) -> list[str]:
    """Return the texts between the outermost braces of a definition."""
    result: list[str] = []
    at = text.find("{")
    while at >= 0 and (end := find_closing(text, at)) > 0:
        result.append(text[at + 1 : end])
        at = text.find("{", end)
    return result


def _environment_meaning(definition: str) -> tuple[str, str] | None:
    r"""Return what `\begin` and `\end` of an environment stand for: the formula that it makes, or the
    theorem, example … of which it is one by its title; None where it is neither.

    >>> _environment_meaning(r"\newtheorem{ex}{Example}[section]")
    ('\\begin{example}', '\\end{example}')
    >>> _environment_meaning(r"\newenvironment{eq}{\begin{equation}}{\end{equation}}")
    ('\\begin{equation}', '\\end{equation}')
    """
    groups = _read_groups(definition)
    head = _NEW_ENVIRONMENT.match(definition)
    if head is None or len(groups) < 2:
        return None
    if not head["plain"]:
        title = _TITLE.search(definition, head.end())
        name = (title[1] or title[2]).lower() if title else ""
        return (rf"\begin{{{name}}}", rf"\end{{{name}}}") if name else None
    begin, end = groups[-2:]
    if "#" not in begin and _ENVIRONMENT.search(begin) and _ENVIRONMENT.search(end):
        return " ".join(begin.split()), " ".join(end.split())
    return None


def _definition_body(definition: str) -> str:
    head = DEFINITION.match(definition)
    named = _NAME.match(definition, head.end()) if head else None
    groups = _read_groups(definition[named.end() :]) if named else []
    return groups[-1] if groups else ""


class Macros:
    """The definitions that hold in a document; formulas are written without them."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self._given = given
        self._known: dict[frozenset[str], str] = {}
        # The stored state of a file has only this digest of its definitions.
        self.digest = (
            blake2b(repr(sorted(given.items())).encode(), digest_size=8).hexdigest() if given else ""
        )
        # Macros without arguments that open or close an environment, such as
        # \newcommand{\be}{\begin{equation}}.
        self._bodies = {
            name: _definition_body(text)
            for name, text in given.items()
            if "#" not in text and name[1:6] != "begin" and _ENVIRONMENT.search(text)
        }
        self._environments = {
            name[7:-1]: meaning
            for name, text in given.items()
            if name.startswith(r"\begin{") and (meaning := _environment_meaning(text)) is not None
        }

    def expand_delimiters(self, text: str) -> str:
        """Return a text in which commands and environments that stand for the beginning or end of a formula,
        or of a
        theorem of another name, are that."""
        if self._environments:
            text = _NAMED_ENVIRONMENT.sub(self._name_environment, text)
        if not self._bodies:
            return text

        def expand_command(match: re.Match[str]) -> str:
            body = self._bodies.get(match[0])
            return match[0] if body is None else " ".join(body.split())

        return _COMMAND.sub(expand_command, text)

    def _name_environment(self, match: re.Match[str]) -> str:
        meaning = self._environments.get(match["name"])
        return match[0] if meaning is None else meaning[match["end"] == "end"]

    def expand_macros(self, latex: str) -> str:
        r"""Write out what a formula uses of the definitions; its lines stay lines.

        >>> known = collect_definitions(r"\newcommand{\norm}[1]{\|#1\|}")
        >>> Macros(known).expand_macros(r"\norm{x} \text{ if so}")
        '\\|x\\| \\text{ if so}'
        """
        # Only the definitions that this formula uses are put before it, since expanding with all is slow.
        used = frozenset(self._used_definitions(latex))
        if not used:
            return latex
        if used not in self._known:
            # A definition such as `\let\old\abs` ends in a name, which the first letter behind would go on.
            self._known[used] = "".join(f"{self._given[name]}\n" for name in sorted(used))
        before = self._known[used]
        source = before + latex
        parts: list[str] = []
        end = len(before)
        for token in expand_macros(lex_latex(source)):
            # Tokens have lost the white space between them: put back what separates words and lines.
            apart = token.start > end and source[token.start - 1].isspace()
            letters = token.text[:1].isalpha() and parts and _ENDS_IN_LETTER.search(parts[-1])
            lines = source.count("\n", end, token.start)
            if lines or apart or letters:
                parts.append("\n" * lines or " ")
            parts.append(token.text)
            # Tokens of an expansion carry the position of the call, so the end must never move back.
            end = max(end, token.end)
        return "".join(parts).strip(" ")

    def _used_definitions(self, latex: str) -> set[str]:
        """Return what of the definitions a formula needs, also inside others."""
        result: set[str] = set()
        pending = [latex]
        while pending:
            for name in set(_COMMAND.findall(pending.pop())) & self._given.keys() - result:
                result.add(name)
                pending.append(self._given[name])
        return result


def resolve_project_macros(scans: Mapping[str, Scan]) -> dict[str, Macros]:
    """Return the macros that hold in each file of a folder, by its place in it.

    A file that several roots input has those of the first; one that none does has its own and those of what
    it inputs.
    """
    reached = {path: list(reachable_files(path, scans)) for path in scans}
    inner = {path for root, paths in reached.items() for path in paths if path != root}
    roots = sorted(scans, key=lambda path: (not scans[path].root, path in inner, path))
    result: dict[str, Macros] = {}
    for root in roots:
        new = [path for path in reached[root] if path not in result]
        if new:
            given: dict[str, str] = {}
            for path in reached[root]:
                given |= scans[path].definitions
            macros = Macros(given)
            result |= dict.fromkeys(new, macros)
    return result


def reachable_files(root: str, scans: Mapping[str, Scan]) -> Iterator[str]:
    """Yield a file and all that it inputs, each once; names count from it, from the root's folder or the
    top.
    """
    seen = {root}
    pending = [root]
    while pending:
        path = pending.pop()
        yield path
        for names in reversed(scans[path].inputs):
            folders = (dirname(root), dirname(path), "")
            positions = (normpath(join(folder, name)) for folder in folders for name in names)
            result = next((index for index in positions if index in scans), None)
            if result is not None and result not in seen:
                seen.add(result)
                pending.append(result)
