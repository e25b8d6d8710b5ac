r"""What the words of a mathematical text say: the one place that knows them.

A cue is what a word or phrase says of the statement beside it: that it is given, claimed, denied, one of
several … A phrase is words with `_` between; `*` at its end stands for any ending. Nothing else in the
package matches English words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import product
from typing import Literal

from engines.proofreading.phrase_search import index_phrases, join_alternatives, leave_out_phrases

_QUANTIFYING = (
    (
        "for throughout across with",
        "all every each any arbitrary either whatever each_and_every every_single",
    ),
    ("no_matter", "which what how the whichever where"),
    ("regardless irrespective independent independently", "of"),
    ("pick choose take select try plug_in substitute name", "any your whatever whichever an_arbitrary"),
    ("as", "§", "runs ranges varies goes moves", "over through across"),
    (
        "no_matter_which no_matter_what whichever whatever",
        "§ §_and_§ §_,_§",
        "you we one",
        "take choose pick like select try plug_in",
    ),
    (
        "all every each any",
        "§ §_and_§ real_§ real_§_and_§ real_numbers_§ real_numbers_§_and_§ pair pair_of_reals pair_of_numbers"
        " pair_of_real_numbers real_number number reals real_numbers numbers",
        "satisfy satisfies obey obeys",
    ),
    ("hold holds true valid", "always identically universally everywhere throughout without_exception"),
)
"""How a text says that something is so for all: in each row one of each, in this order."""


_SEVERAL = """
    or case cases either both respectively try trying possib* when if suppose assume for otherwise let other
    another similarly test* example instance each bound bounds endpoint endpoints choice choices
"""
"""How a text says that a statement is one of several, or supposes it."""


def _join_phrases(rows: Sequence[Sequence[str]]) -> str:
    return " ".join("_".join(words) for row in rows for words in product(*map(str.split, row)))


_FOR_ALL = f"""
    always in_general all_real every_real any_real all_positive all_nonzero all_numbers all_values arbitrary
    whenever all_angles every_angle any_angle any_two whichever whatever whatsoever any_numbers every_number
    each_real all_complex all_integers every_integer any_integer for_real for_positive for_nonzero holds_for
    {_join_phrases(_QUANTIFYING)}
"""
_OBJECTS = """
    hyperbola parabola ellipse circle curve line plane wave branch particle body object train car observer
    player sphere triangle
"""
_OTHER_OBJECTS = (
    (
        "conjugate dual mirror opposite reverse reversed reflected other another",
        f"{_OBJECTS} direction possibility image",
    ),
)
"""How words name another object of the kind that was spoken of, as `_QUANTIFYING`."""
_UNBELIEVED = (
    ("nobody no_one", "believes thinks claims", "that"),
    ("tempted", "to", "write say think conclude believe claim write_that say_that think_that conclude_that"),
)
"""How a text says that a statement is believed by none, or only at first sight, as `_QUANTIFYING`."""
_LOOKING_FOR_MISTAKES = (
    (
        "find spot identify locate detect correct point_out",
        "the all all_the all_of_the any every each his her their this the_student's this_student's",
        "error errors mistake mistakes flaw flaws misconception",
    ),
    ("what where", "is_wrong went_wrong goes_wrong is_the_error is_the_mistake is_the_flaw was_the_mistake"),
    (
        "what_mistake what_mistakes what_error what_errors which_mistake which_error",
        "did has is are was were",
    ),
)
"""How a text asks for the mistakes of a work, as `_QUANTIFYING`."""
_ASKING_FOR_MISTAKES = f"""
    {_join_phrases(_LOOKING_FOR_MISTAKES)} what's_wrong whats_wrong contains_an_error contains_a_mistake
    spot_all_errors spot_errors find_errors find_mistakes choose_the_sequence choose_the_correct
"""
_HYPOTHETICAL = _join_phrases(
    (("will would", "make"), ("would", "have get imply mean give follow be become require yield"))
)
Cue = Literal["given", "claimed"]
"""What the words before a statement introduce it as: a condition or definition, or a conclusion."""

PHRASES: Mapping[str, str] = {
    "given": """
        let suppose assume assuming if iff when whenever where set setting denote define given for with
        letting choose consider considering solve want wants wanted need needs find take taking call satisfy
        satisfies satisfying provided unless whether plugging substituting substitute plug equation
        equations system such recall line equating case otherwise try guess trying minimize maximize form
        desired require requires represent represents condition constraint graph function defined curve
        circle parabola hyperbola ellipse plane lines label letter told
    """,
    "claimed": """
        then so thus therefore hence have get gets gives give yields yield implies obtain becomes become
        simplifies simplify follows since because which means consequently conclude answer expand expands
        expanding factor factors factoring equals equal is are compute calculate finally reduces rewrite
        write simplifying solving see leads now note notice that's indeed rearrange rearranging rearranged
    """,
    "leading": "so then thus hence therefore or we get gives have which",
    "concluding": """
        therefore hence thus so consequently clearly obviously evidently it_follows we_conclude we_have
        we_know we_see we_get we_obtain note_that notice_that recall_that observe_that moreover furthermore
        also in_particular this_means this_shows this_implies this_gives it_is_known as_is_well_known
        it_is_well_known by_algebra it_is_true is_true holds identity by_the_rules simplifying expanding
        students_know everyone_knows remember_that
    """,
    "holding": "have has know get obtain is are it_follows that",
    "predicating": "is are be was holds hold remains",
    "deducing": "so thus hence therefore whence consequently then",
    "universal": f"identity identities {_FOR_ALL}",
    "for all": _FOR_ALL,
    "neutral": """
        real reals number numbers and value values of the angle angles that we it any all every complex
        negative nonnegative non-negative nonzero non-zero integer integers natural rational x y z a b c n k
        have then is holds true following following: both two positive variables variable know non zero in
        you your one favourite favorite own choice choices chosen choosing value picked selected entire whole
        line axis may might be can will turn out to happens input inputs over through across on set turns
        works valid remains take takes like likes please
        equality formula relation inequality statement rule single be out
    """,
    "remarking": "and where since because with using as",
    "opening": "so thus therefore hence then but because since as and while whereas now",
    "positive": "positive",
    "nonnegative": "nonnegative non-negative",
    "negative": "negative",
    "nonzero": "nonzero non-zero",
    "whole": "integer integers natural whole_numbers",
    "numeric": "number numbers real reals",
    "continuous": "real reals rational rationals complex",
    "complex": "complex",
    "counted": "number_of sum_of ratio_of product_of set_of sequence_of set power",
    "denied": """
        not never cannot can't impossible contradict* absurd false wrong incorrect* mistake* isn't doesn't
        does_not unless whether would erroneous* fallac* claim claims student suppose assume if counterexample
        no_longer neither fails fail would_expect students_wrote students_write students_answered
        outside_the_domain outside_of_the_domain outside_its_domain
    """,
    "other object": f"{_join_phrases(_OTHER_OBJECTS)} negative_direction in_the_negative",
    "object": _OBJECTS,
    "relabelling": "relabel* renam* rescal* swap* interchang* exchang*",
    "setting aside": "ignor* discard* reject* exclud* dismiss* rule_out rules_out ruled_out",
    "sign changed": "change_the_sign changing_the_sign changes_the_sign opposite_sign other_sign",
    "of none": "no none nowhere",
    "idiomatic no": """
        no_doubt no_matter no_loss no_problem no_surprise no_wonder no_more no_less no_fewer no_greater
        no_difference no_need no_reason no_restriction no_other no_coincidence no_accident no_change
    """,
    "characterising": "iff if_and_only_if exactly_if exactly_when precisely_if precisely_when",
    "restricted": "for if when where on",
    "stretched over": "on over interval intervals",
    "sought with": "such_that so_that satisfying",
    "misprint": "typo typos misprint* errat*",
    "refused": f"""
        not never cannot can't impossible contradict* absurd false wrong incorrect* mistake* isn't doesn't
        whether erroneous* fallac* claim claims student suppose assume contrary definition_that
        convention_that pretend* joke* tongue-in-cheek would_expect would_say would_read faulty bogus
        flawed so-called students_wrote students_write students_answered {_HYPOTHETICAL}
    """,
    "hypothetical": _HYPOTHETICAL,
    "refused right before": f"""
        {_join_phrases(_UNBELIEVED)} instead_of rather_than far_from neither nor unless typo misprint
        erratum:_for would_need would_have_needed would_have_to_be false_statement_such_as
        false_statements_such_as false_equation_such_as wrong_statement_such_as absurdity_such_as
    """,
    "inverted condition": "were had",
    "reporting": "wrote answered replied typed mistyped guessed",
    "reporting of oneself": """
        we_wrote i_wrote you_wrote we_answered i_answered we_typed i_typed we_guessed i_guessed
    """,
    "refused after": """
        mistake misprint typo should_read should_have_read should_have_been later_corrected since_corrected
        frequent_mistake common_mistake typical_mistake classic_mistake by_accident by_mistake mistakenly
        erroneously because_of_a_bug not false wrong impossible absurd never contradict* incorrect isn't
        doesn't cannot fails fail only_true true_only violat* invalid
    """,
    "marked wrong": """
        why_is_this_wrong why_is_it_wrong why_was_this_wrong why_was_it_wrong is_this_marked is_it_marked
        was_this_marked was_it_marked marked_this_wrong marked_this_as_wrong marked_it_as_wrong
    """,
    "implication": "implication equivalence conditional biconditional converse contrapositive",
    "true as a whole": "is_true is_also_true is_vacuously_true is_a_true is_valid is_a_tautology",
    "premise": "premise* antecedent* vacuous*",
    "denying cell": "no false fails fail failed wrong incorrect invalid violat* not_satisfied not_met",
    "mistaken": """
        wrong incorrect invalid in_error an_error fallac* mistake* absurd impossible nonsense contradict*
        is_assuming assumes presupposes not_true untrue is_false are_false
    """,
    "mistakes": """
        wrong incorrect mistake* pitfall* misconception* fallac* common_error* typical_error* error_hunt
        erroneous* find_the_error faulty bogus flawed fake_proof false_proof
    """,
    "asking": f"""
        true_or_false t/f t_or_f which_of_the_following is_it_true are_true_or_false is_true_or_false
        are_correct below_that_are_true statements_that_are_true prove_or_disprove verify_or_disprove
        prove_or_refute verify_or_refute confirm_or_refute find_what_is_wrong decide_whether is_correct_or
        proposed_proof {_ASKING_FOR_MISTAKES} check_the_following check_whether verify_whether
        contrapositive_of converse_of negation_of choose_the_sequence choose_the_correct select_the_correct
        choose_the_best
    """,
    "asking for mistakes": _ASKING_FOR_MISTAKES,
    "author": """
        student students student's classmate classmate's pupil pupils friend friend's someone somebody
        colleague
    """,
    "applying": "use uses using apply applies applying by with from via",
    "implying": "implies imply implying which_implies entails",
    "restating": "equivalent_to equivalently same_as amounts_to reduces_to reduces_this_to",
    "between": "which this that it a an is are would be was we but does do did clearly certainly again",
    "several": f"{_SEVERAL} value values root roots solution solutions",
    "one of several": _SEVERAL,
    "alternative": """
        alternative* or either respectively otherwise other another similarly try trying test bound bounds
        endpoint endpoints choice choices
    """,
    "rewritten": """
        expand* simplif* factor* rewrit* written identity distribut* combin* note notice comput* calculat*
        evaluat* for_all always equal equals equivalent same
    """,
    "law": "fact_that law laws rule rules property properties",
    "rounded": "nearest approximat* about roughly round* closest estimat*",
    "exact": "exactly exact_value",
    "rounding": "rounded rounding",
    "in radians": "radian radians rad",
    "in base ten": "base_ten base_10 decimal_system",
    "rounded up": """
        at_least minimum smallest least_number fewest sample_size* needed required round_up rounds_up
        rounding_up rounded_up ceiling next_whole next_integer
    """,
    "rounded value": """
        p-value* probabilit* critical_value* z-score* z-table normal_table table_value* tail tails
    """,
    "diverging": "diverg* undefined singular* pole poles unbounded naive* careless* blindly principal_value",
    "right angle": "right_angle* rt_angle* rt._angle* of_a_right_angle",
    "clock time": "o'clock a.m p.m am pm hour hours hrs minutes mins clock departs arrives departure arrival",
    "clock": "clock clocks o'clock a.m p.m noon midnight",
    "version": "version* release*",
    "operation": "operation operations",
    "puzzle": "puzzle puzzles riddle riddles brain_teaser brainteaser",
    "drawn to scale": "scale map maps drawn_to_scale blueprint floor_plan",
    "whole division": "integer_division floor_division integer_quotient* whole_quotient* truncat*",
    "angle": "angle* argument* polar coterminal phase* direction_angle* bearing* principal full_turn* rotat*",
    "connective": """
        and or if so for where when then thus hence since because with as by therefore that is are we give
        gives which i.e ie otherwise has have let from using given but such to the at implies implying
    """,
    "supposed": """
        let suppose assum* if iff when where set setting try trying take taking choos* plug* substitut*
        consider for test testing guess at letting example instance checking check either or same line axis
        whether minim* maxim* possib* by
    """,
    "task": "solv* equation equations system",
    "universe": "universe let_the_domain_be domain_is domain_of_discourse range_over ranges_over",
    "holding together": """
        system systems simultaneous* at_the_same_time satisfies_both satisfy_both satisfying_both solves_both
        both_hold
    """,
    "assigning": "solve_the solve_each solve_these solve_this solve_following",
    "derivative of": """
        derivative_of derivative_of_the_function derivative_of_the_expression differentiating differentiate
        differentiating_the_function
    """,
    "integral of": """
        integral_of antiderivative_of primitive_of integral_of_the_function antiderivative_of_the_function
        integrating integrate
    """,
    "expansion of": """
        taylor_series_of taylor_series_for maclaurin_series_of maclaurin_series_for power_series_of
        power_series_for taylor_expansion_of series_expansion_of series_expansion_for
    """,
    "other operation": """
        second third fourth higher order nth directional logarithmic total covariant weak formal
        double triple line surface contour path improper not never twice
    """,
    "resulting": """
        is equals is_equal_to is_given_by is_just is_simply is_the_function is_then is_therefore is_thus gives
        give yields gives_us we_get we_obtain we_have we_find gives_the_derivative
    """,
    "continued": """
        times plus minus multiplied divided over of at when where if for evaluated on per squared cubed
        modulo with
    """,
    "expansion": """
        taylor maclaurin power_series series_expansion* linearization linearisation linear_approximation*
        quadratic_approximation* tangent_line_approximation*
    """,
    "differentiating": "differentiat* derivative* differential* ableit* dériv* deriv*",
    "obtaining": """
        get gets getting give gives giving obtain obtains obtaining yield yields yielding become becomes
        leads reduces simplifies implies leaves means to_find we_find end_with ends_with end_up ends_up
        left_with meaning_that
    """,
    "exchanging": """
        swap* interchang* switch* exchang* replac* renam* substitut* plug* small large approximat* similar*
        differentiat* integrat* inverse
    """,
    "rearranging": """
        solve_for solving_for solved_for rearrang* isolat* rewrite_this_as rewrite_it_as rewrite_as
        writing_both_sides expressing_both_sides
        rewritten_as be_written_as write_this_as written_in_the_form rewrite_§_as rewriting_§_as write_§_as
    """,
    "supposing": """
        let suppose assume assuming if when whenever set setting choose consider unless whether try
        trying guess take taking put say picking pick letting defined define seek seeking want
        be_the be_a be_an along path paths curve curves lines planes circles
    """,
    "introducing value": "where at",
    "accompanying": "with",
    "subordinating": "if when whenever at",
    "cases": "case cases otherwise possibilit*",
    "case at hand": """
        this_case that_case which_case any_case our_case special_case general_case each_case our_cases
        these_cases both_cases all_cases most_cases some_cases many_cases possibilit*
    """,
    "either": "either or",
    "disjoining": "or",
    "equivalent": "equivalently or_rather or_simply or_just in_other_words",
    "examined": "at when if for",
    "conditional": "if when whenever at",
    "turning out": "turns_out happens_that should_happen",
    "approached": "near around about toward towards close_to approach*",
    "defining": "let define defined denote denotes call called set where put write means notation",
    "step of a work": "step steps solution answer result proof note check conclusion hint work",
    "step": """
        let suppose assume that since as because if from for we i get have obtain find know see then so thus
        hence therefore consequently it follows and with be is a an the real number numbers any arbitrary now
        gives give implies yields satisfies satisfy satisfying case both this holds by also which
        begin theorem lemma proposition corollary
    """,
    "checking": "check checking verify verifying indeed confirm",
    "reason": """
        because since as if when where whenever provided unless assuming for_some only_if only_when holds_only
        holds_if holds_when is_true_only is_true_if is_true_when is_valid_only is_valid_if is_valid_when
    """,
    "explaining": "because since as",
    "for real": "for_real for_all_real for_every_real for_any_real is_real are_real",
    "inverse of": "inverse_of multiplicative_inverse_of",
    "leading on": "then gives yields implies we_have we_get 时 時",
    "justifying": "because since as by from using per definition def",
    "measured": """
        degree degrees remainder with_remainder integer_part with_quotient rounded_down
        kb kib mb mib gb gib tb tib kilobyte* megabyte* gigabyte* terabyte* kilobit*
        megabit* gigabit* o'clock with_borrow with_a_borrow borrow with_carry with_a_carry carry
    """,
    "in base two": "binary bit bits base_2 base_two",
    "idempotent": "idempotent* projection_matri* projection_operator* orthogonal_projection*",
    "involution": "involution* involutory involutive self-inverse",
    "root of unity": "root_of_unity roots_of_unity",
    "demanding": "must need needs require requires has_to have_to",
    "ordering": """
        relation relations reflexive irreflexive reflexivity irreflexivity asymmetric antisymmetric poset*
        partial_order* preorder* strict_order* trichotomy
    """,
    "primitive": "primitive nontrivial non-trivial non-real",
    "of matrices": "matri* idempotent* nilpotent* involutory projector*",
    "unit length": "unit_sphere sphere unit_circle unit_vector* unit_length norm_one unit_norm orthonormal*",
    "normalised": "normali*",
    "condition": "if when whenever assume assuming suppose provided unless where",
    "unsolvable": """
        no_solution* no_root* without_solution* inconsistent
        no_real no_complex no_rational no_integer* no_integral no_positive no_negative no_nonzero no_zero*
        no_common no_such no_value* no_answer* no_other
    """,
    "contrary": "contrary for_contradiction by_contradiction for_a_contradiction by_way_of_contradiction",
    "contradiction": "contradict* impossible absurd",
    "determining": "a an any every each all some the let fix two",
    "kind of number": """
        positive negative nonnegative non zero nonzero integer integers natural number numbers whole real
        reals rational rationals complex arbitrary fixed given strictly
    """,
    "special value": """
        solution* root* zero* eigenvalue* minimum maximum minimi* maximi* intersection* point points
    """,
    "existing": "there_exist* there_is there_are exists for_some can_find we_find one_finds",
    "ranging": "whenever all every each any",
    "counter": "index indices",
    "limiting": "in on with such between from where satisfying if when provided greater less",
    "surrounding": "in over inside within of the ring field modulo mod",
    "measure": """
        side sides edge edges length lengths width widths height heights radius radii area areas perimeter
        circumference volume volumes distance distances mass masses
    """,
    "part of equation": "both_sides either_side hand_side hand_sides left_side right_side other_side",
    "of size": "size sizes dimension dimensions resolution shape shapes pixels",
    "restricting": "where for with if when provided that all any every each real whenever given",
    "excepting": "except excepting unless apart_from other_than away_from but_for excluding",
    "over a range": "on for over when where if whenever with in the interval range closed open",
    "introducing": "let fix consider suppose choose pick take given",
    "renewing": """
        change_the_value_of changing_the_value_of changes_the_value_of adjusting_the_value_of new_value_of
        new_value_for another_value_of another_value_for other_value_of different_value_of different_value_for
    """,
    "joining": "and or be a an the let of",
    "kind of letter": "function functions map mapping polynomial sequence number numbers integer matrix",
    "kind of set": "set sets subset subsets",
    "kind of group": "group groups subgroup subgroups monoid semigroup groupoid",
    "proving": "show prove verify demonstrate deduce conclude establish then we_have",
    "named quantity": """
        polic* strateg* permutation* projection* distribution* probabilit* prior* posterior* representation*
        inflation profit* share* proportion* fraction portfolio measure map morphism homomorphism prime
        uniformizer homotopy partition path paths
    """,
    "recalling": "again recall recalling earlier above previously as_before seen_before already",
    "varied": """
        let suppose assume if when now next similarly likewise instead another other otherwise but however
        whereas while or either respectively replac* chang* switch* new different consider take taking choose
        set setting first second third case increas* decreas* rais* lower* relabel* renam*
    """,
}
"""The phrases of each cue."""

ORDINALS: Mapping[str, int] = {
    "square": 2, "cube": 3, "cubic": 3, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
    "eighth": 8, "ninth": 9, "tenth": 10, "twelfth": 12,
}  # fmt: skip
"""Words that number roots."""


def mentions(cue: str, words: str) -> bool:
    """Return whether words have a phrase of a cue.

    >>> mentions("denied", "this contradicts the other"), mentions("universal", "for all real")
    (True, True)
    """
    return next(index_phrases(PHRASES[cue]).iterate_spans(words), None) is not None


def starts_with_refusal(words: str) -> bool:
    """Return whether the words behind a statement deny it, or make it a question.

    >>> starts_with_refusal(", which is impossible"), starts_with_refusal("holds and is not")
    (True, False)
    >>> starts_with_refusal(". This argument is in error, as"), starts_with_refusal(". This is not")
    (True, False)
    >>> starts_with_refusal(", by the triangle inequality. This is a contradiction.")
    True
    >>> starts_with_refusal("| violates it |"), starts_with_refusal("| 3 | no |")
    (True, False)
    """
    return re.match(r"[^.!?;]*\?", words) is not None or calls_false(words)


def calls_false(words: str) -> bool:
    """Return whether the words behind a statement say that it does not hold, or was marked as wrong.

    >>> calls_false(", which is impossible"), calls_false("?"), calls_false(". Why is this marked as wrong?")
    (True, False, True)
    """
    answered = re.match(r"[\s,.]*(?:\w+\s*:\s*no\s*[,!.]|no\s*[,!.]\s*(?:this|that)\b)", words, re.IGNORECASE)
    if answered or mentions("marked wrong", words.partition("§")[0]):
        return True
    cell = _CELL.match(words)
    if cell and starts_with_phrase("denying cell", cell[1]):
        return True
    if _compile_refusal().match(words):
        return True
    behind = re.match(
        r"(?:,?\s*by\b[^.!?;§]*)?[\s,;.\\]*(?:this|that|which|(?:will|would)\s+make)\b([^.!?]*)",
        words,
        re.IGNORECASE,
    )
    return behind is not None and mentions("mistaken", behind[1])


@cache
def _compile_refusal() -> re.Pattern[str]:
    between, refusing = (join_alternatives(PHRASES[cue]) for cue in ("between", "refused after"))
    begun = r"(?:[\s,;*_—–-]*|\.\s+(?=again\b))"
    return re.compile(rf"{begun}(?:(?:{between})\s+){{0,3}}(?:{refusing})\b", re.IGNORECASE)


def names_other_object(words: str) -> bool:
    """Return whether words name another object than the text before, or begin with one of a kind.

    >>> names_other_object("the other branch is"), names_other_object("* a hyperbola with no § has the")
    (True, True)
    >>> names_other_object("this is a hyperbola, so")
    False
    """
    first = words_of(words)[:_WORDS_OF_SUBJECT]
    of_kind = first[:1] in (["a"], ["an"]) and mentions("object", " ".join(first[:2]))
    of_kind = of_kind and first[2:] in (["with"], ["without"], ["that"], ["whose"], ["of"], ["in"])
    return of_kind or mentions("other object", words)


def leave_out(cue: str, words: str) -> str:
    """Return words without the phrases of a cue."""
    return leave_out_phrases(PHRASES[cue], words)


def reports_of_others(words: str) -> bool:
    """Return whether words say that somebody wrote what comes, and not the writers of the text.

    >>> reports_of_others("my brother wrote"), reports_of_others("above we wrote")
    (True, False)
    """
    return mentions("reporting", leave_out("reporting of oneself", words))


def denies_of_all(words: str) -> bool:
    """Return whether the clause before a statement says that it holds for nothing.

    >>> denies_of_all("for no § does"), denies_of_all("there is no doubt that"), denies_of_all("no §, so")
    (True, False, False)
    """
    clause = re.split(r"[,;:]", last_sentence(words))[-1]
    opened = [start for start, _ in index_phrases(PHRASES["opening"]).iterate_spans(clause)]
    clause = clause[opened[-1] :] if opened else clause
    return mentions("of none", leave_out("idiomatic no", clause))


def names_step(label: str) -> bool:
    """Return whether a label names a step of a work, and not what comes is about: `Step 2`, `Solution`."""
    return any(mentions(cue, label) for cue in ("step of a work", "claimed", "deducing", "checking"))


def words_of(text: str) -> list[str]:
    """Return the words of a text, in lower case."""
    return _WORD.findall(text.lower())


def is_made_of(cue: str, words: str) -> bool:
    """Return whether all words are phrases of a cue."""
    known = frozenset(PHRASES[cue].split())
    return set(words_of(words)) <= known


def last_clause(words: str) -> str:
    """Return the words of the clause that leads to a statement: behind the last formula, comma or
    conjunction.

    >>> last_clause("since § is not zero, we have"), last_clause("the bit is not set so")
    (' we have', 'so')
    """
    clause = re.split(r"[,;:§]", words)[-1]
    opened = [start for start, _ in index_phrases(PHRASES["opening"]).iterate_spans(clause)]
    return clause[opened[-1] :] if opened else clause


def leading_clause(words: str) -> str:
    """Return the words of the clause that leads to a statement, or to the formulas that it ends.

    >>> leading_clause("if § and"), leading_clause("if § then § ,"), leading_clause("if § , we have § ,")
    ('if', 'then', ' we have')
    """
    return last_clause(_ENUMERATED.sub("", words))


def last_sentence(words: str) -> str:
    """Return the words of the sentence that leads to a statement."""
    return re.split(r"[.!?]\s", words)[-1]


def has_last_word(cue: str, words: str) -> bool:
    """Return whether the last word before a statement is of a cue."""
    return words_of(words)[-1:] != [] and words_of(words)[-1] in PHRASES[cue].split() and words[-1:] != "§"


def ends_with_phrase(cue: str, words: str) -> bool:
    """Return whether words end with a phrase of a cue, of one word or several.

    >>> [ends_with_phrase("restating", words) for words in ("it is equivalent to", "equivalent to §")]
    [True, False]
    """
    end = len(words)
    while end and (words[end - 1].isspace() or words[end - 1] == ":"):
        end -= 1
    return index_phrases(PHRASES[cue]).has_phrase_before(words, end)


def has_first_word(cue: str, words: str) -> bool:
    """Return whether the first word is of a cue."""
    return words_of(words)[:1] != [] and words_of(words)[0] in PHRASES[cue].split()


@lru_cache(256)
def ranges_over_numbers(words: str) -> bool:
    """Return whether words speak of all numbers, or of all of a kind that they name, and of nothing else.

    >>> ranges_over_numbers("for all real § and § ,"), ranges_over_numbers("for all orthogonal § we have")
    (True, False)
    """
    words = leave_out_applied_identities(words)
    universal = list(index_phrases(PHRASES["universal"]).iterate_spans(words))
    if not universal or _is_predicate(words[: universal[-1][0]]):
        return False
    neutral = frozenset(
        f"{PHRASES['neutral']} {PHRASES['leading']} {PHRASES['concluding']}".replace("_", " ").split()
    )
    begin, end = universal[-1]
    behind = words_of(words[end:])
    # "For each of the § things" counts things, and "for all values of §" ranges over numbers.
    counts_things = behind[:1] == ["of"] and words[begin:end].lower().endswith(("each", "all", "every"))
    return set(behind) <= neutral and not counts_things


def leave_out_applied_identities(words: str) -> str:
    """Return words without an identity that they only name, to apply it to what comes: a formula right behind
    `the identity` is one, and behind `the reciprocal identity:` need not be.

    >>> leave_out_applied_identities("use the reciprocal identity: ")
    'use the reciprocal : '
    >>> leave_out_applied_identities("use the identity")
    'use the identity'
    """
    for start, end in reversed(list(index_phrases("identity identities").iterate_spans(words))):
        before = words_of(words[:start])[-_WORDS_OF_NAME:]
        applied = [at for at, word in enumerate(before) if word in PHRASES["applying"].split()]
        name = before[applied[-1] + 1 :] if applied else []
        name = name[1:] if name[:1] and name[0] in _DETERMINERS else name
        ends = re.match(r"\s*[:,;]|\s+(?:to|we|and)\b", words[end:]) is not None
        if applied and (name or ends) and _DETERMINERS.isdisjoint(name):
            words = words[:start] + words[end:]
    return words


def _is_predicate(words: str) -> bool:
    """Return whether words end with a verb behind a formula, of which what comes is said: `§ is always`."""
    formula, _, verbs = words.rpartition("§")
    return bool(formula) and words_of(verbs) != [] and {*words_of(verbs)} <= {*PHRASES["predicating"].split()}


def words_behind(cue: str, words: str) -> str:
    """Return the words behind the last phrase of a cue; all where there is none.

    >>> words_behind("universal", "now for all § we have")
    ' § we have'
    """
    ends = [end for _, end in index_phrases(PHRASES[cue]).iterate_spans(words)]
    return words[ends[-1] :] if ends else words


def depends_on_claim(words: str) -> bool:
    """Return whether a statement about all numbers follows from another that the words give it.

    >>> depends_on_claim("for all § we have § and so"), depends_on_claim("thus for all § and §")
    (True, False)
    """
    words = words_behind("universal", words)
    held = next(index_phrases(PHRASES["holding"]).iterate_spans(words), None)
    claim = words[held[1] :] if held else ""
    return "§" in claim and mentions("deducing", claim.rpartition("§")[2])


def is_restricted(words: str) -> bool:
    """Return whether words before a letter say of it more than what kind of number it is.

    >>> is_restricted("let an even integer"), is_restricted("for every positive integer")
    (True, False)
    """
    last = words_of(words)[-_WORDS_OF_KIND:]
    kinds = [at for at, word in enumerate(last) if word in PHRASES["determining"].split()]
    if not kinds:
        return False
    kind = last[kinds[-1] + 1 :]
    named = any(mentions(cue, " ".join(kind)) for cue in ("whole", "continuous"))
    return named and not {*kind} <= {*PHRASES["kind of number"].split()}


def starts_with_phrase(cue: str, words: str) -> bool:
    """Return whether words begin with a phrase of a cue, behind a comma or bracket.

    >>> starts_with_phrase("reason", ", because § is even"), starts_with_phrase("reason", "and if")
    (True, False)
    """
    lead = _LEAD.match(words)
    return index_phrases(PHRASES[cue]).has_phrase_at(words, lead.end() if lead else 0)


def describes_value(before: str, after: str) -> bool:
    """Return whether words beside a letter say more of it than what kind of number it is.

    >>> describes_value("let ", " be a solution. Then"), describes_value("let ", " be a real number.")
    (True, False)
    """
    behind = words_of(re.split(r"[.,;:§]", after)[0])
    if behind[:1] in (["is"], ["be"], ["are"]) or has_last_word("introducing", before):
        cues = ("determining", "kind of number", "joining")
        return not {*behind} <= {"is", "are", *" ".join(PHRASES[cue] for cue in cues).split()}
    return mentions("special value", " ".join(words_of(before)[-1:]))


def has_condition(words: str) -> bool:
    """Return whether words before a statement restrict it, by more than the kind of its numbers.

    >>> has_condition("if § is prime then"), has_condition("if § is positive then")
    (True, False)
    """
    conditions = list(index_phrases(PHRASES["condition"]).iterate_spans(words))
    if not conditions:
        return False
    cues = ("neutral", "leading", "concluding", "universal")
    neutral = {"be", *" ".join(PHRASES[cue] for cue in cues).replace("_", " ").split()}
    return not set(words_of(words[conditions[0][1] :])) <= neutral


def read_last_cue(words: str, without: str = "") -> Cue | None:
    """Return whether the words before a statement introduce it as given or as claimed, by the last cue among
    them; None if there is no cue.

    Args:
        without: A kind of cue whose phrases do not count.

    >>> read_last_cue("let"), read_last_cue("if § then"), read_last_cue("whose")
    ('given', 'claimed', None)
    """
    if without:
        words = leave_out_phrases(PHRASES[without], words)
    last = ["", *words_of(words)[-25:]]
    for before, word in zip(reversed(last[:-1]), reversed(last[1:]), strict=True):
        if word == "that" and before in _FINDING:
            return "claimed"
        if word in _CUES:
            return _CUES[word]
    return None


def distinguishes_cases(words: str) -> bool:
    """Return whether words name a case of several, and not the one at hand.

    >>> distinguishes_cases("in this case"), distinguishes_cases("the second case")
    (False, True)
    """
    return mentions("cases", leave_out_phrases(PHRASES["case at hand"], words))


_WORD = re.compile(r"[a-zA-Z']+")
_LEAD = re.compile(r"[\s,;(]*")
_CELL = re.compile(r"\s*[|&](?!\s*[|&])([^|&\\]*)")
"""The cell of a table behind that of a formula."""
_ENUMERATED = re.compile(r"(?:[\s,§]|\band\b)+\Z")
_CUES: dict[str, Cue] = {
    **dict.fromkeys(PHRASES["given"].split(), "given"),
    **dict.fromkeys(PHRASES["claimed"].split(), "claimed"),
}
_FINDING = frozenset(("find", "finds", "found", "shows", "us", "suggests", "says", "see", "confirms"))
"""Words that before `that` say what was found."""
_WORDS_OF_KIND = 5
_WORDS_OF_NAME = 6
"""Words before `identity` that can name it, with those that apply it."""
_WORDS_OF_SUBJECT = 3
_DETERMINERS = frozenset(("the", "a", "an", "our", "this", "that", "these", "those"))
