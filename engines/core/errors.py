"""The one error a reader of this program ever sees: what happened, where, and what to do about it; and the
codes, each with the exit code of a command that ends with it and the one thing it means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path


class EngineError(Exception):
    """A failure that is explained.

    Args: what: the failure in one sentence. remedy: what the user can do next. code: one of `CODES`, where
    its exit code stands, which `exit_code` replaces. where: a file, `file:line` or position that the failure
    belongs to.
    """

    code = "E100"

    def __init__(
        self,
        what: str,
        *,
        remedy: str = "",
        where: str = "",
        code: str | None = None,
        exit_code: int | None = None,
    ) -> None:
        super().__init__(what)
        self.what = what
        self.remedy = remedy
        self.where = where
        usual, _ = CODES.get(code or self.code) or CODES.get(self.code) or CODES[EngineError.code]
        self.exit_code = usual if exit_code is None else exit_code
        if code is not None:
            self.code = code

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        end = "" if self.what.endswith((".", "?", "!")) else "."
        advice = f"{end} {self.remedy}" if self.remedy else ""
        return f"{self.code} {place}{self.what}{advice}"

    def to_dict(self) -> dict[str, str | int]:
        """Return the error as the JSON object that `--json` prints."""
        return {
            "code": self.code,
            "what": self.what,
            "where": self.where,
            "remedy": self.remedy,
            "exit_code": self.exit_code,
        }


class ExpressionError(EngineError):
    """A formula that cannot be read; `position` counts characters or tokens from 0."""

    code = "E200"

    def __init__(self, what: str, *, text: str = "", position: int | None = None, remedy: str = "") -> None:
        super().__init__(what, remedy=remedy)
        self.text = text
        self.position = position


class StoppedError(EngineError):
    """Work that was stopped and has no result; a job ends as stopped by it."""

    code = "E646"


class DataError(EngineError):
    """A file that cannot be read or does not hold what it should; carries path and line."""

    code = "E300"

    def __init__(
        self,
        what: str,
        *,
        path: str | Path | None = None,
        line: int | None = None,
        remedy: str = "",
        code: str | None = None,
        exit_code: int | None = None,
    ) -> None:
        where = "" if path is None else str(path) if line is None else f"{path}:{line}"
        super().__init__(what, remedy=remedy, where=where, code=code, exit_code=exit_code)
        self.path = path
        self.line = line


def raise_error(error: EngineError) -> None:
    """Raise the error: what a reader does with a bad line unless it is given another handler."""
    raise error


def explain_unloadable_model(what: str, error: Exception, remedy: str) -> tuple[str, str]:
    """Return the message and the hint for a model that a library cannot load.

    A library's advice to run code that comes with the model is not passed on.
    """
    reason = " ".join(str(error).split())
    if "trust_remote_code" in reason:
        what += ": it needs its own code, which is never run here"
        return what, "Use a model of an architecture that the library transformers has."
    return f"{what}: {reason[:200] or type(error).__name__}", remedy


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `Did you mean 'theme'?`, or an empty text if no known word is close."""
    import difflib

    close = difflib.get_close_matches(word, list(known), n=1)
    return f"Did you mean {close[0]!r}?" if close else ""


# The codes: E1 general, E2 expressions, E3 files and data, E4 usage and settings, E5 workspace, E6 jobs,
# training, models and indexes, E7 engine process, E9 internal errors. A test compares the table with the
# code.
#
# Exit codes: 1 the run failed, 2 wrong usage or input, 3 data, model or device missing, 4 lost, 130 stopped.

CODES: Mapping[str, tuple[int, str]] = {
    "E100": (1, "an error without a code of its own"),
    "E110": (1, "out of memory"),
    "E141": (1, "the process that grows e-graphs could not start"),
    "E142": (1, "growth reached a limit, was stopped, or its process died"),
    "E200": (2, "an expression that cannot be parsed"),
    "E201": (1, "a formula that cannot be drawn"),
    "E210": (1, "the rewrite rules contradict each other on an expression"),
    "E211": (1, "a rewrite rule made a member that differs from its head"),
    "E220": (2, "an equation that cannot be parsed or has no value"),
    "E221": (2, "assumptions that hold nowhere, as far as the search can tell"),
    "E222": (2, "a theory that cannot be used: unknown, a wrong file, an unsound rule, a judge that fails"),
    "E223": (2, "a theory whose judge is a Python file that has not been trusted"),
    "E300": (2, "a file with unexpected content"),
    "E310": (1, "a file that cannot be read or written: disk full, or a file system error"),
    "E311": (2, "permission denied"),
    "E312": (3, "a file or folder that is missing or not finished"),
    "E313": (2, "a folder where a file is needed, or the reverse"),
    "E314": (2, "an empty file"),
    "E315": (2, "a file that is not text"),
    "E316": (2, "a compressed file that is corrupt"),
    "E317": (2, "a row that cannot be used"),
    "E318": (2, "a file or folder of the wrong kind"),
    "E320": (3, "a corpus whose files are missing or corrupt"),
    "E321": (2, "a file without a usable expression, cluster or derivation"),
    "E322": (3, "a folder without a corpus"),
    "E323": (2, "a corpus plan that is corrupt"),
    "E324": (3, "a corpus that is not finished"),
    "E325": (2, "a corpus of another format version"),
    "E326": (2, "two data sets that cannot be compared"),
    "E327": (2, "an invalid description of a collection"),
    "E328": (3, "an archive for which no program is installed"),
    "E329": (2, "a text that is not a graph in PENMAN notation"),
    "E340": (2, "runs that were evaluated on different topics"),
    "E341": (2, "too little data for a significance test"),
    "E343": (2, "topics without candidates"),
    "E344": (2, "topics without judgements"),
    "E345": (2, "an unfinished ranking with other settings"),
    "E346": (1, "a score or vector of a model that is not a finite number"),
    "E350": (3, "something that a command needs is missing"),
    "E351": (3, "a Python package that is not installed"),
    "E352": (3, "unknown recipe"),
    "E353": (3, "unknown data set"),
    "E354": (3, "data that are missing"),
    "E355": (3, "a model that is missing"),
    "E356": (3, "a file that ships with the program is missing"),
    "E361": (2, "a tokenizer that cannot take LaTeX tokens"),
    "E371": (2, "unknown topic"),
    "E372": (2, "unknown run"),
    "E373": (2, "unknown grade"),
    "E374": (2, "unknown label of a triplet"),
    "E375": (3, "unknown post"),
    "E376": (2, "a text or topic without the requested formula"),
    "E377": (3, "a program that is not installed"),
    "E378": (1, "an external program that cannot process its input"),
    "E380": (3, "a cross-encoder that cannot be loaded"),
    "E381": (2, "a cross-encoder with missing weights"),
    "E382": (2, "a cross-encoder with another model's tokenizer"),
    "E383": (2, "an encoder whose similarity is no inner product"),
    "E400": (2, "an invalid command line"),
    "E401": (2, "a terminal is needed"),
    "E402": (2, "a command without its input"),
    "E403": (2, "unknown measure"),
    "E404": (2, "unknown strategy"),
    "E405": (2, "an address that cannot be listened on"),
    "E406": (2, "one thing where several are compared or fused"),
    "E410": (2, "unknown operation"),
    "E411": (2, "unknown trainer"),
    "E412": (2, "an installed paper that cannot be used"),
    "E420": (2, "unknown program setting"),
    "E421": (2, "an invalid value of a program setting"),
    "E422": (2, "a settings file that cannot be read"),
    "E423": (2, "unknown key binding"),
    "E424": (2, "an unknown setting of the work, or an invalid value"),
    "E425": (2, "a recipe for another kind of work"),
    "E426": (2, "invalid seeds, folds or grid"),
    "E427": (2, "options that cannot be combined"),
    "E428": (2, "a paper or table that is not reproduced"),
    "E430": (2, "a file name whose extension names no known format"),
    "E431": (2, "unknown kind of data"),
    "E432": (2, "a name that is taken"),
    "E433": (2, "an index is needed"),
    "E434": (2, "ranking settings that cannot be combined"),
    "E435": (2, "a first stage that cannot be parsed"),
    "E440": (2, "a filter that cannot be parsed"),
    "E450": (2, "unknown templates"),
    "E451": (2, "neither templates nor a file"),
    "E452": (2, "a folder that holds another corpus, or something else"),
    "E453": (1, "another process is building in this folder"),
    "E454": (2, "a number that no cluster or class has"),
    "E455": (1, "a corpus without training pairs"),
    "E456": (2, "a cluster that corpora cannot hold: not of a real function"),
    "E457": (2, "a weight for an unknown family of rules"),
    "E458": (2, "a corpus in several variables, or under assumptions, where one in x alone is needed"),
    "E461": (3, "a file that nothing can lock"),
    "E462": (1, "a file that another process keeps locked"),
    "E463": (4, "a corrupt list of trusted judges"),
    "E465": (3, "something that is not in the trash"),
    "E466": (2, "something deleted whose place is taken"),
    "E467": (2, "a protected job that would be deleted"),
    "E500": (2, "a workspace that cannot be used"),
    "E501": (3, "a workspace that does not exist"),
    "E502": (2, "a workspace that cannot be written to"),
    "E503": (2, "a workspace made by a newer version"),
    "E504": (2, "a corrupt workspace, or a folder with other content"),
    "E601": (2, "unknown job"),
    "E602": (2, "another job writes to the same folder"),
    "E603": (2, "a job whose state does not allow this"),
    "E604": (2, "a run folder without an attempt"),
    "E605": (3, "a job that the cluster rejected"),
    "E610": (2, "a recipe that cannot be read or written"),
    "E620": (4, "a job that ended without recording a result"),
    "E621": (1, "a worker that was killed"),
    "E622": (1, "a worker that stopped for lack of disk space"),
    "E623": (1, "another package shadows one of the program's own"),
    "E624": (1, "a worker that could not be started"),
    "E625": (1, "a job that the cluster ended"),
    "E626": (4, "an attempt that was replaced by a later one"),
    "E627": (2, "a reporter that is unknown or not installed"),
    "E628": (1, "a reporter that failed"),
    "E629": (3, "a reporter's delivery record that cannot be read"),
    "E630": (2, "invalid training settings"),
    "E631": (1, "a training whose loss or weights are not numbers"),
    "E632": (1, "a training batch that does not fit in memory"),
    "E633": (3, "a device that disappeared or failed"),
    "E634": (3, "a device that does not exist"),
    "E635": (1, "a checkpoint that is corrupt"),
    "E636": (2, "no training data"),
    "E637": (2, "a folder that holds another training"),
    "E638": (2, "an invalid device or executor"),
    "E639": (3, "no cluster to run on"),
    "E640": (2, "an invalid setting of an expression model"),
    "E641": (2, "a model that cannot generate"),
    "E642": (3, "a model folder that cannot be opened"),
    "E643": (2, "weights that could only be read by unpickling"),
    "E644": (3, "a training without its corpus"),
    "E645": (2, "nothing to evaluate or inspect"),
    "E646": (130, "work that was stopped and has no result"),
    "E647": (3, "more expressions than can be encoded at once"),
    "E650": (3, "a generator that cannot be loaded"),
    "E651": (3, "no problems to learn from"),
    "E652": (2, "invalid sizes of a generator"),
    "E653": (2, "invalid decoding settings"),
    "E660": (2, "a collection with nothing to index"),
    "E661": (3, "an index whose files are missing or corrupt"),
    "E662": (2, "an index of another format version"),
    "E663": (3, "a folder without an encoder that this program can run"),
    "E664": (2, "a text that an encoder cannot read"),
    "E665": (2, "unknown kind of dense index"),
    "E666": (2, "vectors of another dimension"),
    "E667": (2, "a folder with other content than an index"),
    "E668": (2, "an index of other posts, another model or other settings"),
    "E669": (1, "another process is building this index"),
    "E670": (2, "an index without the data that a search needs"),
    "E671": (3, "a language model that cannot be opened"),
    "E672": (2, "a kind of language model that cannot be trained here"),
    "E673": (2, "language model weights that could only be read by unpickling"),
    "E674": (2, "no pairs or texts to train on"),
    "E675": (2, "no texts to learn a tokenizer from"),
    "E676": (2, "invalid sizes of a language model"),
    "E677": (2, "an invalid setting of a formula encoder"),
    "E678": (2, "an invalid setting of a word problem solver"),
    "E679": (2, "no word problems to train on"),
    "E680": (3, "a folder without a word problem solver"),
    "E681": (2, "problems with too few equations to find triplets in"),
    "E682": (2, "texts in a language that the encoder cannot read"),
    "E683": (2, "a way to augment that a language does not have"),
    "E684": (2, "a problem that is unknown or has no equation"),
    "E685": (2, "a problem without a negative"),
    "E686": (2, "problems that no challenge set can be made from"),
    "E687": (1, "a training whose loss cannot teach: all vectors are empty, or there is nothing to compare"),
    "E690": (2, "a word problem that a solver cannot solve"),
    "E691": (3, "a language model whose address does not answer as expected"),
    "E692": (1, "a budget for a language model that is spent"),
    "E701": (4, "the engine process ended without an answer"),
    "E702": (130, "work that did not stop in time and was ended"),
    "E703": (130, "work that was cancelled"),
    "E704": (1, "a screen that cannot be opened"),
    "E900": (1, "an internal error"),
}
