"""Parse what a line says, terms and statements: quantifiers, connectives in words, chains of relations."""

from __future__ import annotations

from collections.abc import Sequence

from engines.core.expression_language import is_constant_token
from engines.core.tree import Tree
from engines.formula.cursor import END, QUANTIFIERS, SHARED_RELATIONS, ZERO, is_statement
from engines.formula.expression_parser import OTHERWISE, ExpressionParser
from engines.formula.layout import Piece
from engines.formula.listings import OMITTED_SIDE, distribute_relations, give_values, share_range
from engines.formula.symbols import ARROWS, IFF, IMPLIES, PieceRole
from engines.formula.vocabulary import (
    BETWEEN_REMARKS,
    BETWEENS,
    CONNECTIVES,
    EVERY_PARITY,
    MEMBERSHIP_PHRASES,
    PARITIES,
    QUANTIFYING_PHRASES,
    RANGE_WORDS,
    RELATION_NAMES,
    REMARKS_ON_OR,
    SETS_OF_NUMBERS,
    USUAL_FUNCTION_LETTERS,
    argument_pieces,
    is_alignment_mark,
    is_variable,
    name_of,
    says_nothing,
    spell_argument,
    words_of,
)

ELSE = Tree("else")
"""The condition of all that is left."""
_QUANTIFIER_ENDINGS = ("such that", "so that", "we have", "with")
_MAP_ARROWS = ("\\to", "\\rightarrow", "\\longrightarrow", "→")


_RELATED_BY = "related by "
_RELATION_SIGNS = {
    "\\sim": "∼",
    "\\to": "→",
    "\\rightarrow": "→",
    "\\mid": "∣",
    "|": "∣",
    "\\cong": "≅",
    "\\perp": "⊥",
    "\\parallel": "∥",
    "\\propto": "∝",
    "\\vdash": "⊢",
    "\\models": "⊨",
    "\\vDash": "⊨",
}


def _is_propositional(tree: Tree) -> bool:
    """Return whether a term is a formula of logic, so that an arrow behind it means an implication: a letter
    for a proposition, a predicate, or several of them with connectives."""
    if tree.label in ("and", "or", "implies", "iff", "not"):
        return all(map(_is_propositional, tree.children))
    name = tree.children[0].label if tree.label == "call" else tree.label
    # A letter is a proposition, and a capital one before arguments a predicate.
    return name in _PROPOSITIONS and (tree.label != "call" or name.isupper())


_PROPOSITIONS = frozenset("pqrsPQRS")


def _gives_range(formulas: Sequence[Tree], connectives: Sequence[str]) -> bool:
    """Return whether equations with a parameter stand before its range: `x = cos t, y = sin t with t > 0`."""
    *equations, last = formulas
    if len(equations) < 2 or connectives[-1] != "if" or not {*connectives[:-1]} <= {",", "and"}:
        return False
    names = {one.children[0] for one in equations if one.label == "=" and not one.children[0].children}
    if len(names) != len(equations) or last.label not in ("in", "and", "<", "<=", ">", ">="):
        return False
    shared = set.intersection(*({*one.children[1].list_labels()} for one in equations))
    return any(not one.children and one.label in shared and not is_constant_token(one.label) for one in last)


def _join_cases(formulas: Sequence[Tree], connectives: Sequence[str]) -> Tree | None:
    """Return values, each with its condition, as a value by cases: `x for x >= 0 and -x otherwise`; None for
    other formulas."""
    values, conditions = formulas[::2], formulas[1::2]
    if (
        len(values) != len(conditions)
        or any(one != "if" for one in connectives[::2])
        or "if" in connectives[1::2]
    ):
        return None
    if not all(is_statement(one) or one == ELSE for one in conditions):
        return None
    names = {value.children[0] for value in values if value.label == "="}
    equations = sum(value.label == "=" for value in values)
    if len(names) > 1 or (not names and any(map(is_statement, values))):
        return None
    if names and (len(values) == 1 or equations not in (1, len(values)) or values[0].label != "="):
        return None
    terms = (value.children[1] if value.label == "=" else value for value in values)
    cases = Tree("cases", tuple(part for pair in zip(terms, conditions, strict=True) for part in pair))
    return Tree("=", (*names, cases)) if names else cases


def _group_solutions(formulas: Sequence[Tree], joins: Sequence[str]) -> Tree | None:
    """Return solutions of several unknowns, `x = 1, y = 2 or x = 3, y = 4`, each as what holds together; None
    for other formulas."""
    if {*joins} not in ({",", "or"}, {"and", "or"}) or any(one.label != "=" for one in formulas):
        return None
    groups: list[list[Tree]] = [[formulas[0]]]
    for join, formula in zip(joins, formulas[1:], strict=True):
        if join == "or":
            groups.append([])
        groups[-1].append(formula)
    names = [[one.children[0] for one in group] for group in groups]
    if len(names[0]) < 2 or any({*each} != {*names[0]} or len({*each}) < len(each) for each in names):
        return None
    return Tree("or", tuple(Tree("and", tuple(group)) for group in groups))


class StatementParser(ExpressionParser):
    """Parser of all that a line says, terms and statements: recursive descent over its pieces."""

    # Formulas

    def parse_line(self) -> Tree:
        """Return all that the line says."""
        while self.parts and self.separates_formulas(self.parts[-1]):
            self.parts.pop()
        self.length = len(self.parts)
        if not self.parts:
            raise self.make_error("the expression is empty", remedy="Write something like: x^{2} + 1")
        results: list[Tree] = []
        connectives: list[str] = []
        if self.context.is_answer and words_of(self.here) == "if":
            self.take_piece()  # if p then q
        while True:
            while self.separates_formulas(self.here):
                self.position += 1
            results.append(self.repeat_subject(results, self.parse_statement()))
            while words_of(self.here) in QUANTIFYING_PHRASES:
                results = [self.parse_trailing_quantifier(self.join_formulas(results, connectives))]
                connectives = []
            if self.context.is_answer and words_of(self.here) in OTHERWISE:
                self.take_piece()
                results.append(ELSE)
                connectives.append("if")
            are_propositions = connectives == ["or"] and all(map(_is_propositional, results))
            if are_propositions and (exclusive := self.take_remark_on_or()) is not None:
                joined = Tree("iff" if exclusive else "or", tuple(results))
                results, connectives = [Tree("not", (joined,)) if exclusive else joined], []
            if self.position >= self.length:
                break
            connectives.append(self.read_separator())
        return self.join_formulas(results, connectives)

    def take_remark_on_or(self) -> bool | None:
        """Take a remark such as `but not both`; return whether it makes `or` exclusive, None without one."""
        ahead = 0
        while self.separates_formulas(self.piece_ahead(ahead)) and self.position + ahead < self.length:
            ahead += 1
        exclusive = REMARKS_ON_OR.get(words_of(self.piece_ahead(ahead)))
        if exclusive is not None:
            self.position += ahead + 1
        return exclusive

    @staticmethod
    def repeat_subject(results: list[Tree], statement: Tree) -> Tree:
        """Return a relation without a left side, as `> 3 and <= 7`, with the name that the one before it is
        about."""
        if not results or not statement.children or statement.children[0] != OMITTED_SIDE:
            return statement
        sides = results[-1].children if is_statement(results[-1]) else ()
        name = next((side for side in sides if not side.children and side.label.isalpha()), OMITTED_SIDE)
        return Tree(statement.label, (name, *statement.children[1:]))

    # Quantifiers

    def parse_quantified(self, label: str, number_set: str = "") -> Tree:
        r"""Return what a sign such as `\forall` quantifies: variables, where they range, and all that
        follows."""
        names, ranges = self.parse_range(number_set)
        while (
            self.separates_formulas(self.here)
            or self.here.role == PieceRole.COLON
            or words_of(self.here) in _QUANTIFIER_ENDINGS
        ):
            self.take_piece()
        if self.position >= self.length:
            raise self.make_error("what is quantified is missing")
        if (further := QUANTIFYING_PHRASES.get(words_of(self.here))) is not None:
            self.take_piece()  # for every n there is an m
            return self.bind_variables(label, names, ranges, self.parse_quantified(*further))
        return self.bind_variables(label, names, ranges, self.parse_statement())

    def parse_trailing_quantifier(self, body: Tree) -> Tree:
        """Return a statement with its quantifier behind it: `x^2 >= 0` for all real x."""
        label, number_set = QUANTIFYING_PHRASES[words_of(self.take_piece())]
        names, ranges = self.parse_range(number_set)
        return self.bind_variables(label, names, ranges, body)

    def parse_range(self, number_set: str) -> tuple[list[Tree], list[Tree]]:
        """Return the variables of a quantifier, and for each the statements that say where it ranges.

        Args:
            number_set: The set of numbers, such as ℝ, that words before the variables name; "" for none.
        """
        names: list[Tree] = []
        while True:
            if not is_variable(self.here):
                raise self.make_error("a quantifier without a variable is not understood")
            names.append(self.parse_identifier(name_of(self.take_piece()))[0])
            if (
                self.here.text != ","
                or not is_variable(self.piece_ahead(1))
                or Tree(name_of(self.piece_ahead(1))) in names  # for all x, x^2 >= 0
                or self.piece_ahead(2).role == PieceRole.OPEN
            ):
                break
            self.take_piece()
        ranges = [Tree("in", (name, Tree(number_set))) for name in names] if number_set else []
        if self.here.role == PieceRole.RELATION:
            relation, piece = self.read_relation(), self.parts[self.position - 1]
            right = self.parse_right_side(relation)
            ranges += [self.make_relation(relation, name, right, piece) for name in names]
        return names, ranges

    def bind_variables(self, label: str, names: list[Tree], ranges: list[Tree], body: Tree) -> Tree:
        """Return a quantified statement: the names bound one inside the other, with their ranges."""
        for name in reversed(names):
            own_ranges = [one for one in ranges if name in one.children]
            joined_ranges = own_ranges if len(own_ranges) < 2 else [Tree("and", tuple(own_ranges))]
            body = Tree(label, (name, *joined_ranges, body))
        return body

    def separates_formulas(self, piece: Piece) -> bool:
        """Return whether a piece only separates formulas."""
        return (
            piece.role in (PieceRole.PUNCTUATION, PieceRole.PERIOD)
            or piece.text == "\\\\"
            or is_alignment_mark(piece)
            or (piece.alone.label.startswith("T!") and not words_of(piece))
        )

    def is_at_beginning(self) -> bool:
        """Return whether a statement may begin here: at the beginning, or behind a connective in words."""
        return self.position == 0 or words_of(self.piece_ahead(-1)) in CONNECTIVES

    def read_separator(self) -> str:
        """Read what stands between two formulas: a comma, a word, a new line."""
        result = ""
        first = self.position
        # Several separators may follow each other, as in ", and \quad"; a word outranks a comma.
        while self.position < self.length:
            piece = self.here
            words = words_of(piece)
            if words in CONNECTIVES:
                result = CONNECTIVES[words]
            elif not self.separates_formulas(piece):
                break
            elif not result and piece.role == PieceRole.PUNCTUATION:
                result = ";" if piece.text == ";" and self.context.is_answer else ","
            self.position += 1
        # The caller comes here only between formulas, so something has to separate them.
        if self.position == first:
            self.raise_unexpected()
        if self.position >= self.length:
            raise self.make_error("something is missing at the end")
        return result

    def join_formulas(self, formulas: list[Tree], connectives: list[str]) -> Tree:
        """Return formulas joined by what stands between them."""
        if len(formulas) == 1:
            return formulas[0]
        if ";" in connectives:
            return self.join_groups(formulas, connectives)
        if self.context.is_answer:
            formulas, connectives = share_range(formulas, connectives)
        begin = len(formulas)
        while (
            begin > 1
            and formulas[begin - 1].label == "in"
            and formulas[begin - 1].children[1].label in SETS_OF_NUMBERS
            and connectives[begin - 2] in (",", "and", "if")
        ):
            begin -= 1
        if ranges := formulas[begin:]:
            # `x = a + 2k or x = b + 2k`, for integers k
            before = self.join_formulas(formulas[:begin], connectives[: begin - 1])
            labels = {*before.list_labels()}
            if all(one.children[0].label in labels for one in ranges):
                within = ranges[0] if len(ranges) == 1 else Tree("and", tuple(ranges))
                return Tree("and" if is_statement(before) else "such", (before, within))
        # What the words mean depends on whether statements or terms stand between them: with `not q` beside
        # it a letter is a proposition.
        words = set(connectives)
        are_propositions = any(map(is_statement, formulas)) or not words.isdisjoint(("if", "iff", "implies"))
        are_propositions = are_propositions and all(map(_is_propositional, formulas))
        are_statements = [are_propositions or is_statement(one) for one in formulas]
        if (
            "if" in words
            and self.context.is_answer
            and (cases := _join_cases(formulas, connectives)) is not None
        ):
            return cases
        if self.context.is_answer and _gives_range(formulas, connectives):
            return Tree("and", tuple(formulas))
        if "iff" in words or "implies" in words or "if" in words:
            if len(formulas) == 2 and all(are_statements):
                left, right = formulas
                return (
                    Tree("iff", (left, right))
                    if "iff" in words
                    else Tree("implies", (right, left) if "if" in words else (left, right))
                )
            raise self.make_error("a condition in words is not understood")
        if (solutions := _group_solutions(formulas, connectives)) is not None:
            return solutions
        # Statements side by side hold together; "or" beside "and" would need brackets.
        if all(are_statements):
            if "or" in words:
                if "and" in words:
                    raise self.make_error("'and' beside 'or' can be read in two ways")
                return Tree("or", tuple(formulas))
            return Tree("and", tuple(formulas))
        # "a, b > 0" shares its relation with the names before it, but only plain names may do so.
        if any(are_statements):
            last = formulas[-1]
            may_share = (
                last.label in SHARED_RELATIONS and not any(are_statements[:-1]) and words <= {",", "and"}
            )
            if may_share and not any(
                one.children and one.label != "call" for one in (*formulas[:-1], last.children[0])
            ):
                names = (*formulas[:-1], last.children[0])
                return Tree("and", tuple(Tree(last.label, (name, *last.children[1:])) for name in names))
            if self.context.is_answer and (listed := distribute_relations(formulas)) is not None:
                return listed
            if self.context.is_answer and (ranged := give_values(formulas)) is not None:
                return ranged
            raise self.make_error("a list beside a relation is not understood")
        if words == {"or"} and all(
            not one.children and len(one.label) == 1 and one.label.isalpha() for one in formulas
        ):
            return Tree("or", tuple(formulas))  # propositions
        return Tree("list", tuple(formulas))

    def join_groups(self, formulas: list[Tree], connectives: list[str]) -> Tree:
        """Return formulas joined by semicolons: groups of values, of which one holds."""
        ends = [index for index, connective in enumerate(connectives) if connective == ";"]
        starts = [0, *(end + 1 for end in ends)]
        # With nothing but semicolons there are no groups, and they separate as commas do.
        if len(starts) == len(formulas):
            return self.join_formulas(formulas, [","] * len(connectives))
        groups = [
            self.join_formulas(formulas[start : end + 1], connectives[start:end])
            for start, end in zip(starts, [*ends, len(connectives)], strict=True)
        ]
        if all(map(is_statement, groups)):
            return Tree("or", tuple(groups))
        return Tree(
            "list", tuple(Tree("tuple", one.children) if one.label == "list" else one for one in groups)
        )

    # Statements

    def parse_statement(self) -> Tree:
        """Parse statements joined by `iff` and `implies`."""
        left = self.parse_disjunction()
        while True:
            label = self.here.operator.label
            if label in IFF:
                self.take_piece()
                left = Tree("iff", (left, self.parse_disjunction()))
            elif label in IMPLIES or (self.here.text in _MAP_ARROWS and _is_propositional(left)):
                self.take_piece()
                right = self.parse_disjunction()
                # An arrow to the left exchanges premise and conclusion.
                left = Tree("implies", (left, right) if IMPLIES.get(label, 1) > 0 else (right, left))
            else:
                return left

    def parse_disjunction(self) -> Tree:
        """Parse statements joined by `or`."""
        disjuncts = [self.parse_conjunction()]
        # Between statements ⊕ is the exclusive or, which is the negation of an equivalence.
        while self.here.operator.label == "O!direct-sum" and _is_propositional(disjuncts[0]):
            self.take_piece()
            disjuncts = [Tree("not", (Tree("iff", (disjuncts[0], self.parse_conjunction())),))]
        while self.here.operator.label == "U!or" and self.here.role == PieceRole.ADD:
            self.take_piece()
            disjuncts.append(self.parse_conjunction())
        return disjuncts[0] if len(disjuncts) == 1 else Tree("or", tuple(disjuncts))

    def parse_conjunction(self) -> Tree:
        """Parse statements joined by `and`."""
        conjuncts = [self.parse_negation()]
        while self.here.operator.label == "U!and" and self.here.role == PieceRole.ADD:
            self.take_piece()
            conjuncts.append(self.parse_negation())
        return conjuncts[0] if len(conjuncts) == 1 else Tree("and", tuple(conjuncts))

    def parse_negation(self) -> Tree:
        """Parse a statement that may be negated."""
        if self.here.operator.label == "O!not" and not self.here.operator.children:
            self.take_piece()
            self.enter_level()
            result = Tree("not", (self.parse_negation(),))
            self.context.depth -= 1
            return result
        if self.is_at_beginning() and (phrase := QUANTIFYING_PHRASES.get(words_of(self.here))) is not None:
            self.take_piece()
            return self.parse_quantified(*phrase)
        label = self.here.operator.label[2:]
        if label in (*QUANTIFIERS, "not-exists") and self.here.role == PieceRole.OPERATOR:
            self.take_piece()
            self.enter_level()
            result = self.parse_quantified(label.removeprefix("not-"))
            self.context.depth -= 1
            return result if label in QUANTIFIERS else Tree("not", (result,))
        return self.parse_chain()

    # Relations

    def parse_chain(self) -> Tree:
        """Parse a chain of relations, each with the sides next to it."""
        if self.context.reads_unknown_signs and self.here.role == PieceRole.RELATION and self.is_sign_alone():
            return self.parse_sign_alone()
        # Every link of a chain needs its left side.
        if self.here.role == PieceRole.RELATION and not (self.context.is_answer and self.is_at_beginning()):
            raise self.make_error("the left side is missing")
        parity = EVERY_PARITY.get(words_of(self.here)) if self.context.is_answer else None
        if parity is not None and self.piece_ahead(1) is not END:
            self.take_piece()
            return Tree("congruent", (self.parse_sum(), Tree(parity), Tree("2")))
        begins_with_bounds = self.context.is_answer and words_of(self.here) in BETWEENS
        if self.context.is_answer and self.is_bare_limit():
            self.take_piece()  # \lim = 2
        if self.here.role == PieceRole.RELATION or begins_with_bounds:
            left = OMITTED_SIDE
        else:
            left = self.parse_set_operations()
        if (number_set := MEMBERSHIP_PHRASES.get(words_of(self.here))) is not None:
            self.take_piece()
            return Tree("in", (left, Tree(number_set)))
        remainder = PARITIES.get(words_of(self.here)) if self.context.is_answer else None
        if remainder is not None and left.label not in USUAL_FUNCTION_LETTERS:
            self.take_piece()
            return Tree("congruent", (left, Tree(remainder), Tree("2")))
        if self.context.is_answer and words_of(self.here) in BETWEENS:
            return self.parse_between(left)
        relations: list[Tree] = []
        while True:
            # The relation may be on the next line of aligned formulas, so blanks and
            # gaps before it are skipped.
            ahead, piece = 0, self.here
            while says_nothing(piece) or piece.alone.label == "V!quad":
                ahead += 1
                piece = self.piece_ahead(ahead)
            if self.context.reads_unknown_signs and self.is_map():
                return self.parse_map(left)
            # "a : b" is a ratio unless a relation has been read.
            if piece.role == PieceRole.COLON and piece.text == ":" and not relations:
                left = self.parse_ratio(left)
                continue
            # A single bar may mean "divides".
            is_divides_bar = (
                piece.role == PieceRole.BAR and piece.text == "|" and not self.bars and not self.brackets
            )
            # A bar with a script belongs to limits, as in F|_a^b; arrows join whole chains.
            if (
                (is_divides_bar and self.piece_ahead(ahead + 1).role == PieceRole.SCRIPT)
                or (not is_divides_bar and piece.role != PieceRole.RELATION)
                or piece.operator.label in ARROWS
                or (piece.text in _MAP_ARROWS and not relations and _is_propositional(left))
            ):
                break
            # In brackets a bar may come before a condition, as in P(A | B), and is no relation then.
            is_condition_bar = self.brackets and not ahead and self.is_given()
            if is_condition_bar and (self.context.reads_unknown_signs or self.context.is_answer):
                break
            self.position += ahead
            relation = self.read_relation()
            right = self.parse_right_side(relation)
            # "(mod n)" makes a congruence of an equation.
            modulus = self.parse_modulus()
            if modulus is None and relation == "equivalent" and right.label == "mod":
                right, modulus = right.children  # 7 \bmod 12
            residues = [right]
            if modulus is None and relation == "equivalent" and self.context.is_answer:
                residues, modulus = self.parse_further_residues(left, right)
            if len(residues) > 1 and modulus is not None:
                options = tuple(Tree("congruent", (left, residue, modulus)) for residue in residues)
                relations.append(Tree("or", options))
            elif modulus is not None and relation == "not equivalent":
                relations.append(Tree("not", (Tree("congruent", (left, right, modulus)),)))
            elif modulus is not None:
                if relation not in ("=", "equivalent"):
                    raise self.make_error("a modulus belongs to a congruence")
                relations.append(Tree("congruent", (left, right, modulus)))
            else:
                relations.append(self.make_relation(relation, left, right, piece))
            # Each link of a chain compares its neighbours: a < b < c is a < b and b < c.
            left = right
        if not relations:
            # An answer may leave out what is congruent: 17 (mod 26).
            modulus = self.parse_modulus() if self.context.is_answer else None
            return left if modulus is None else Tree("congruent", (OMITTED_SIDE, left, modulus))
        return relations[0] if len(relations) == 1 else Tree("and", tuple(relations))

    def is_bare_limit(self) -> bool:
        """Return whether `lim` stands here for the limit that is asked for, with its value behind it."""
        return (
            self.here.text == "\\lim"
            and self.is_at_beginning()
            and self.piece_ahead(1).role == PieceRole.RELATION
        )

    def parse_between(self, middle: Tree) -> Tree:
        """Parse two bounds behind a word such as `between`; they do not belong to what is said unless it says
        so."""
        closed = BETWEENS[words_of(self.take_piece())]
        low = self.parse_set_operations()
        if CONNECTIVES.get(words_of(self.here)) != "and" and words_of(self.here) not in RANGE_WORDS:
            self.raise_unexpected()
        self.take_piece()
        high = self.parse_set_operations()
        ahead = 1 if self.separates_formulas(self.here) else 0
        if (remark := BETWEEN_REMARKS.get(words_of(self.piece_ahead(ahead)))) is not None:
            self.position += ahead + 1
            closed = remark
        if middle == OMITTED_SIDE:
            return Tree("interval", (Tree("cc" if closed else "oo"), low, high))
        sign = "<=" if closed else "<"
        return Tree("and", (Tree(sign, (low, middle)), Tree(sign, (middle, high))))

    def read_relation(self) -> str:
        """Read the sign of a relation."""
        piece = self.take_piece()
        label = piece.operator.label
        relation = RELATION_NAMES.get(label, "")
        # \cong is the congruence of figures, which is not understood.
        if label == "U!approx":
            relation = "approx" if piece.text != "\\cong" else ""
        elif label == "U!equivalent":
            relation = "equivalent"
        elif piece.text in ("\\not\\equiv", "\\nequiv", "≢") and self.context.is_answer:
            relation = "not equivalent"
        # Outside of brackets a bar between terms means "divides"; inside it is "such that" or "given".
        elif piece.text in ("|", "\\mid", "\\nmid", "\\not\\mid") and not self.brackets:
            relation = "divides" if piece.text in ("|", "\\mid") else "not divides"
        # "<=" without a space is the sign ≤ typed as two.
        if self.here.text == "=" and piece.text in ("<", ">") and self.here.start == piece.end:
            self.take_piece()
            relation += "="
        while self.here.role == PieceRole.SCRIPT:
            script = self.take_piece()
            # Text above a relation, such as "def", is a remark; something below it changes its meaning.
            above = argument_pieces(script.alone)
            if script.text == "O!SUB" or any(one.text == "?" for one in above):
                if self.context.reads_unknown_signs:
                    relation = f"{_RELATED_BY}{piece.text.lstrip(chr(92))}_{spell_argument(script.alone)}"
                    continue
                raise self.make_error(
                    "a relation with something below it or a question mark is not understood", script
                )
            self.context.add_note("what stands above a relation is not part of it")
        self.context.places.setdefault(relation, piece.start)
        if self.context.reads_unknown_signs and not relation:
            relation = f"{_RELATED_BY}{_RELATION_SIGNS.get(piece.text, piece.text.lstrip(chr(92)))}"
        if not relation:
            raise self.make_error(f"the relation {piece.text or label[2:]!r} is not understood", piece)
        if label == "O!assign":
            self.context.add_note("':=' is an equation")
        return relation

    def parse_right_side(self, relation: str) -> Tree:
        """Return the right side of a relation."""
        before = self.context.allows_intervals
        # On the right of these relations stands a set, so (a, b) may be an interval there.
        self.context.allows_intervals = relation in ("in", "not in", "subset")
        while self.here.text == "\\\\" or is_alignment_mark(self.here):
            self.position += 1
        if self.position >= self.length or self.here.role in (
            PieceRole.RELATION,
            PieceRole.PUNCTUATION,
            PieceRole.PERIOD,
        ):
            raise self.make_error("the right side is missing")
        result = self.parse_set_operations()
        if self.context.is_answer and self.here.role == PieceRole.COLON:
            result = self.parse_ratio(result)
        self.context.allows_intervals = before
        return result

    def parse_modulus(self) -> Tree | None:
        r"""Parse `\pmod n` or `(\bmod n)` behind a congruence."""
        if self.here.role == PieceRole.ANNOTATION:
            return self.make_term(self.take_piece().alone.children[0])
        if self.here.role == PieceRole.OPEN and self.opens_modulus():
            # Past the bracket and the word `mod`.
            self.position += 2
            result = self.parse_set_operations()
            if self.here.role != PieceRole.CLOSE:
                self.raise_unexpected()
            self.take_piece()
            return result
        if self.here.role == PieceRole.MODIFIER and self.here.text in ("\\mod", "\\bmod"):
            self.take_piece()
            return self.parse_set_operations()
        return None

    def parse_further_residues(self, subject: Tree, first: Tree) -> tuple[list[Tree], Tree | None]:
        """Parse residues that are listed before one modulus, as `2, 5, 8 (mod 9)`; return them and the
        modulus, or None for it where none follows."""
        begin = self.position
        residues = [first]
        while self.separates_formulas(self.here) or CONNECTIVES.get(words_of(self.here)) in ("or", "and"):
            self.read_separator()
            residues.append(self.parse_set_operations())
            if residues[-1] == subject and self.here.operator.label == "U!equivalent":
                self.take_piece()  # x ≡ 0 or x ≡ 1 (mod 3)
                residues[-1] = self.parse_set_operations()
            if residues[-1].label == "mod":
                last, divisor = residues.pop().children  # 1 or 4 mod 5
                return [*residues, last], divisor
            if (modulus := self.parse_modulus()) is not None:
                return residues, modulus
        self.position = begin
        return [first], None

    def make_relation(self, relation: str, left: Tree, right: Tree, piece: Piece) -> Tree:
        """Return a relation of two sides."""
        if relation.startswith(_RELATED_BY):
            return Tree("related", (Tree(relation[len(_RELATED_BY) :]), left, right))
        if relation == "equivalent":
            if self.context.reads_unknown_signs:
                return Tree("related", (Tree("≡"), left, right))
            raise self.make_error("'\\equiv' without a modulus can be read in two ways", piece)
        if relation == "contains":
            return Tree("in", (right, left))
        if relation == "superset":
            return Tree("subset", (right, left))
        if relation.startswith("not "):
            return Tree("not", (self.make_relation(relation[4:], left, right, piece),))
        if relation == "divides":
            self.context.add_note("'|' says that the left side divides the right")
            # a divides b if and only if b is congruent to 0 modulo a.
            return Tree("congruent", (right, ZERO, left))
        return Tree(relation, (left, right))

    def is_map(self) -> bool:
        r"""Return whether a colon stands here, and an arrow behind it: `f: A \to B`."""
        return self.here.role == PieceRole.COLON and any(
            one.text in _MAP_ARROWS for one in self.parts[self.position : self.length]
        )

    def parse_map(self, name: Tree) -> Tree:
        """Parse from where to where a function goes."""
        self.take_piece()
        source = self.parse_set_operations()
        if self.here.text not in _MAP_ARROWS:
            self.raise_unexpected()
        self.take_piece()
        return Tree("maps", (name, source, self.parse_set_operations()))

    def parse_ratio(self, left: Tree) -> Tree:
        """Parse a ratio."""
        colon = self.take_piece()
        # A colon behind the name of a function begins a map, `f: A \to B`, and no ratio.
        if left.label in self.context.functions | USUAL_FUNCTION_LETTERS or self.position >= self.length:
            raise self.make_error("':' is not understood here", colon)
        right = self.parse_set_operations()
        if self.context.is_answer:
            members = [left, right]
            while self.here.role == PieceRole.COLON:
                self.take_piece()
                members.append(self.parse_set_operations())
            return Tree("ratio", tuple(members))
        if self.here.role in (PieceRole.COLON, PieceRole.RELATION):
            raise self.make_error("':' is not understood here", colon)
        self.context.add_note("':' is a ratio")
        return Tree("/", (left, right))
