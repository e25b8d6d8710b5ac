"""Reading a collection: cleaning, rows that are broken, the real mini collection."""

from __future__ import annotations

import gzip
import html
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.core.errors import DataError
from engines.forum import readers as rows
from engines.forum.post_text import clean_body, clean_with_formulas
from engines.forum.readers import (
    Comment,
    Report,
    read_comments,
    read_formulas,
    read_post_links,
    read_posts,
    read_rows,
)
from engines.forum.topics import read_topics
from tests.conftest import expect_error

ROW = (
    '  <row Id="{id}" PostTypeId="{kind}" {extra} Body="&lt;p&gt;Is &lt;span class=&quot;math-container&quot;'
    ' id=&quot;7&quot;&gt;$$x^2&amp;lt;4$$&lt;/span&gt; true?&lt;/p&gt;"'
    ' Tags="&lt;algebra&gt;&lt;proof&gt;" />\n'
)


def posts_file(path: Path, rows: str) -> Path:
    path.write_text(f'<?xml version="1.0" encoding="utf-8"?>\n<posts>\n{rows}</posts>\n', encoding="utf-8")
    return path


def test_formulas_stand_between_dollar_signs() -> None:
    body = '<p>If <span class="math-container" id="q_1">$$a&lt;b$$</span> &amp; <b>so</b> on</p><p>End</p>'
    result = clean_with_formulas(body)
    assert result.text == "If $a<b$ & so on\nEnd"
    assert result.formulas == (("q_1", "a<b"),)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("", ""),
        ("a < b and c > d", "a < b and c > d"),
        ('<span id="3" class="math-container">x</span>', "$x$"),
        ("<span class='math-container'>x <b>y</b></span>", "$x y$"),
        ('<span class="math-container" id="1">$x', "$x"),
        ("<!-- hidden --><script>evil()</script>seen", "seen"),
        ("one<br/>two", "one\ntwo"),
        ("&#x3b1; &alpha; &unknown;", "α α &unknown;"),
        # LaTeXML wraps lines with a per cent sign, also within a number; XML makes a blank of the line end.
        ("<span class='math-container'>$1{2% 88}\\cdot% x$</span>", "$1{288}\\cdot x$"),
        ("<span class='math-container'>a %\nb % why\n c 5\\% 7%</span>", "$a b c 5\\% 7\\%$"),
        ("<span class='math-container'>\\text{if%  and}\\\\% x</span>", "$\\text{if and}\\\\x$"),
        ("<p>% is $$a% b$$</p>", "% is $ab$"),
        (
            "<span class='math-container'>\\(x\\)</span> <span class='math-container'>$\\[y\\]$</span>",
            "$x$ $y$",
        ),
        (r"so $\(x\)$ and \(y\), 5$\(z\)", "so $x$ and $y$, 5$$z$"),
    ],
)
def test_cleaning(body: str, text: str) -> None:
    assert clean_body(body) == text


@given(st.text())
def test_cleaning_never_fails_and_is_idempotent_on_plain_text(text: str) -> None:
    clean_body(text)
    plain = clean_body(html.escape(text).replace("&", "and"))
    assert clean_body(plain) == plain


def test_a_megabyte_of_latex_is_read_in_one_pass() -> None:
    body = f'<p><span class="math-container" id="1">${"x+" * 500_000}x$</span></p>'
    assert len(clean_with_formulas(body).formulas[0][1]) == 1_000_001


def test_posts_from_xml(tmp_path: Path) -> None:
    rows = ROW.format(id=1, kind=1, extra='Title="Why &lt;i&gt;so&lt;/i&gt;?" AcceptedAnswerId="2"')
    rows += ROW.format(id=2, kind=2, extra='ParentId="1" Score="-3"') + ROW.format(id=3, kind=4, extra="")
    report = Report()
    question, answer = read_posts(posts_file(tmp_path / "Posts.xml", rows), report)
    assert (question.id, question.kind, question.title, question.accepted) == ("1", 1, "Why so?", "2")
    assert question.tags == ("algebra", "proof")
    assert question.body.text == "Is $x^2<4$ true?"
    assert (answer.parent, answer.score) == ("1", -3)
    assert (report.read, report.bad) == (3, 0)


def test_broken_rows_are_counted_and_the_rest_is_read(tmp_path: Path) -> None:
    good = ROW.format(id=1, kind=1, extra="")
    cases = [
        '  <row PostTypeId="1" Body="no id" />\n',
        '  <row Id="5" PostTypeId="2" Body="no parent" />\n',
        '  <row Id="6" PostTypeId="1" Body="cut off\n',
    ]
    report = Report()
    posts = list(read_posts(posts_file(tmp_path / "Posts.xml", good + "".join(cases) + good), report))
    assert [post.id for post in posts] == ["1", "1"]
    assert report.bad == 3
    assert {reason.split()[0] for _, reason in report.first} == {"no", "answer", "the"}


def test_a_row_may_span_lines_and_a_wrong_encoding_costs_one_row(tmp_path: Path) -> None:
    path = tmp_path / "Posts.xml.gz"
    good = ROW.format(id=1, kind=1, extra="").replace('" Tags', '"\n Tags').encode()
    bad = b'<row Id="2" PostTypeId="1" Body="\xff\xfe" />\n'
    with gzip.open(path, "wb") as file:
        file.write(good + bad + good)
    report = Report()
    assert len(list(read_posts(path, report))) == 2
    assert report.first == [(3, "not UTF-8 at byte 33")]


def test_many_rows_on_one_line_are_all_read(tmp_path: Path) -> None:
    row = "<row Id=\"{0}\" PostTypeId=\"1\" Body=\"a\" /><row PostId='{0}' Id='9' PostTypeId='2'/>"
    path = tmp_path / "Posts.xml"
    path.write_text("<posts>" + "".join(row.format(number) for number in range(1_000)) + "</posts>")
    report = Report()
    assert sum(1 for _ in read_rows(path, report)) == 2_000
    assert (report.read, report.bad) == (2_000, 0)
    report = Report()
    assert [post.id for post in read_posts(path, report)] == [str(number) for number in range(1_000)]
    assert report.first[0] == (1, "answer 9 has no ParentId")


def test_links_and_comments_on_one_line(tmp_path: Path) -> None:
    path = tmp_path / "rows.xml"
    link = '<row Id="1" PostId="10" RelatedPostId="11" LinkTypeId="{}" />'
    path.write_text("<postlinks>" + link.format(1) + link.format(3).replace('"', "'") + "</postlinks>")
    assert [kind for _, _, kind in read_post_links(path, Report())] == ["related", "duplicate"]
    path.write_text("<c><row Id='1' PostId='5' Text='say \"x\"'/><row Id='2' PostId='5' Text='y'></row></c>")
    assert [each.text for each in read_comments(path, Report())] == ['say "x"', "y"]


VALUES = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cn", "Cs"]), max_size=20)


BETWEEN = ["", " ", "\n", "\n\n  "]
ASIDES = [
    *('<!-- <row Id="none"/> -->', '\n<!--\n<row Id="none"\n-->', "<!---->", "<!-- ]]> ?> > -->"),
    *('<![CDATA[<row Id="none"/> -->\n]]>', "<?skip <row Id='none'/>\n-->?>", "<!-- <?a --><?b <!-- ?>"),
]


@given(
    st.lists(st.tuples(VALUES, VALUES, st.sampled_from("\"'"), st.sampled_from([*BETWEEN, *ASIDES]))),
    st.integers(1, 60),
    st.sampled_from(["rows", "posts"]),
)
def test_rows_are_those_of_an_xml_parser_however_they_are_written(
    values: list[tuple[str, str, str, str]], chunk: int, root: str
) -> None:
    from lxml import etree

    def quoted(value: str, quote: str) -> str:
        return quote + html.escape(value, quote=False).replace(quote, f"&#{ord(quote)};") + quote

    written = [
        f"{before}<row Id={quote}{number}{quote} A={quoted(a, quote)}{before * (before in BETWEEN)}\t"
        f"B={quoted(b, quote)}/>"
        for number, (a, b, quote, before) in enumerate([*values, ("a", "b", "'", "")])
    ]
    content = f"<?xml version='1.0'?>\n<{root}>{''.join(written)}</{root}>".encode()
    expected = [(row.sourceline, dict(row.attrib)) for row in etree.fromstring(content).iter("row")]
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        patch.setattr(rows, "_CHUNK", chunk)
        path = Path(folder) / "Posts.xml"
        path.write_bytes(content)
        found = list(read_rows(path, Report()))
    assert [attributes for _, attributes in found] == [attributes for _, attributes in expected]
    # The parser gives the line where a row ends.
    assert all(line <= end for (line, _), (end, _) in zip(found, expected, strict=True))
    assert [line for line, _ in found] == [
        1 + content[: content.index(f"<row Id={quote}{number}{quote}".encode())].count(b"\n")
        for number, (_, _, quote, _) in enumerate([*values, ("a", "b", "'", "")])
    ]


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ('<row Id="5" Body="a "quoted" word" />', "the row is not well-formed"),
        ('<row Id="5" Id="6" />', "the row is not well-formed"),
        ('<row Id="5" Body=naked />', "the row is not well-formed"),
        ('<row Id="5" Body="cut', "the row does not end"),
        ('<row Id="5" Body="' + "long " * 100 + '" />', "the row does not end"),
        ('<row Id="5" Body="' + "/> " * 500 + '" />', "the row does not end"),
    ],
)
def test_a_broken_row_costs_only_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str, reason: str
) -> None:
    monkeypatch.setattr(rows, "_CHUNK", 64)
    monkeypatch.setattr(rows, "MAX_ROW", 256)
    good = '<row Id="1" Body="x /> y > z"/>'
    path = tmp_path / "Posts.xml"
    path.write_text(f"<posts>\n{good}\n\n{broken}{good}\n{good}{good}</posts>")
    report = Report()
    assert [line for line, _ in read_rows(path, report)] == [2, 4, 5, 5]
    assert report.first == [(4, reason)]


@pytest.mark.parametrize("chunk", [1, 7, 64, 2**20])
@pytest.mark.parametrize(
    ("start", "kind"),
    [("<!--", "comment"), ("<![CDATA[", "CDATA section"), ("<?a", "processing instruction")],
)
def test_a_comment_that_does_not_end_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int, start: str, kind: str
) -> None:
    monkeypatch.setattr(rows, "_CHUNK", chunk)
    path, report = tmp_path / "Posts.xml", Report()
    path.write_text(f'<posts>\n<row Id="1"/>\n\n {start} \n<row Id="2"/>\n</posts>\n')
    assert [row["Id"] for _, row in read_rows(path, report)] == ["1"]
    assert report.first[0] == (4, f"the {kind} does not end: the rest is not read")


def test_what_looks_like_a_comment_in_an_attribute_hides_nothing(tmp_path: Path) -> None:
    """No XML, and read all the same."""
    path, report = tmp_path / "Posts.xml", Report()
    path.write_text(
        '<posts><row Id="1" Body="a <!-- b"/><row Id="2" Body=\'<?c\'/><!-- --><row Id="3"/></posts>'
    )
    assert [row["Id"] for _, row in read_rows(path, report)] == ["1", "2", "3"]
    assert report.bad == 0


def test_a_file_that_ends_inside_a_row(tmp_path: Path) -> None:
    path = tmp_path / "Posts.xml"
    path.write_text('<posts>\n<row Id="1"/>\n<row Id="2" Body="a')
    report = Report()
    assert [row["Id"] for _, row in read_rows(path, report)] == ["1"]
    assert report.first == [(3, "the file ends inside the row")]


def test_a_file_that_is_cut_between_two_rows_is_told(tmp_path: Path) -> None:
    path, report = tmp_path / "Posts.xml", Report()
    path.write_text('<posts>\n<row Id="1" PostTypeId="1" />\n<row Id="2" PostTypeId="1" />\n')
    assert [row["Id"] for _, row in read_rows(path, report)] == ["1", "2"]
    assert (report.read, report.bad, report.first) == (
        2,
        1,
        [(3, "the file is truncated: it ends without </posts>")],
    )


def test_a_post_that_is_nested_too_deep_is_left_out(tmp_path: Path) -> None:
    file, report = tmp_path / "posts.jsonl", Report()
    file.write_text('{"a":' * 100_000 + '\n{"id": "7", "type": 1, "title": "Sums", "body": "?"}\n')
    assert [post.id for post in read_posts(file, report)] == ["7"]
    assert report.read == 1


TAGS = [
    ("<calculus><real-analysis>", ("calculus", "real-analysis")),
    ("<calculus>", ("calculus",)),
    ("|calculus|real-analysis|", ("calculus", "real-analysis")),
    ("calculus,real-analysis", ("calculus", "real-analysis")),
    ("calculus", ("calculus",)),
    ("", ()),
]


@pytest.mark.parametrize(("written", "tags"), TAGS)
def test_tags_are_read_alike_in_xml_and_json(tmp_path: Path, written: str, tags: tuple[str, ...]) -> None:
    escaped = html.escape(written)
    (tmp_path / "Posts.xml").write_text(
        f'<posts><row Id="1" PostTypeId="1" Body="a" Tags="{escaped}" /></posts>'
    )
    post = {"id": 1, "type": 1, "body": "a"}
    rows = [{**post, "tags": written}, {**post, "tags": list(tags)}, {**post, "tags": [written]}]
    (tmp_path / "posts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    read = [
        *read_posts(tmp_path / "Posts.xml", Report()),
        *read_posts(tmp_path / "posts.jsonl", Report()),
    ]
    assert [each.tags for each in read] == [tags] * 4
    topic = {"id": "A.1", "question": "why", "tags": written}
    (tmp_path / "topics.jsonl").write_text(json.dumps(topic) + "\n")
    assert read_topics(tmp_path / "topics.jsonl")[0].tags == tags


def test_a_post_without_an_id_is_left_out_of_xml_and_json(tmp_path: Path) -> None:
    row = '<row Id="{}" PostTypeId="1" Body="a" />'
    (tmp_path / "Posts.xml").write_text(f"<posts>{row.format('')}{row.format(2)}</posts>")
    (tmp_path / "posts.jsonl").write_text('{"id": "", "type": 1}\n{"id": 2, "type": 1}\n')
    for name in ("Posts.xml", "posts.jsonl"):
        report = Report()
        assert [post.id for post in read_posts(tmp_path / name, report)] == ["2"]
        assert report.bad == 1


def test_an_answer_without_its_question_is_left_out_of_xml_and_json(tmp_path: Path) -> None:
    (tmp_path / "Posts.xml").write_text(
        '<posts><row Id="1" PostTypeId="1" Body="a" />\n<row Id="2" PostTypeId="2" Body="b" />\n</posts>'
    )
    rows = [{"id": 1, "type": 1, "body": "a"}, {"id": 2, "type": 2, "body": "b"}]
    (tmp_path / "posts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name, key in (("Posts.xml", "ParentId"), ("posts.jsonl", "parent_id")):
        report = Report()
        assert [post.id for post in read_posts(tmp_path / name, report)] == ["1"]
        assert (report.bad, report.first) == (1, [(2, f"answer 2 has no {key}")])


@pytest.mark.parametrize(
    "field",
    [
        {"id": None},
        {"id": ""},
        {"id": [1]},
        {"id": True},
        {"id": 1.5},
        {"tags": [7]},
        {"tags": {"a": 1}},
        {"tags": 7},
        {"type": 2, "parent_id": {}},
        {"related": {"a": 1}},
        {"duplicates": [[1]]},
        {"title": 7},
        {"body": ["a"]},
    ],
)
def test_fields_of_another_type_cost_one_row_and_end_nothing(
    tmp_path: Path, field: dict[str, object]
) -> None:
    good = {"id": 2, "type": 1, "body": "a", "score": "3", "related": "17", "duplicates": 18, "accepted": 4}
    path = tmp_path / "posts.jsonl"
    path.write_text(json.dumps({"id": 1, "type": 1, "body": "a", **field}) + "\n" + json.dumps(good) + "\n")
    report = Report()
    (post,) = read_posts(path, report)
    assert (post.score, post.related, post.duplicates, post.accepted) == (3, ("17",), ("18",), "4")
    assert (report.bad, report.first[0][0]) == (1, 1)
    assert post.line == 2


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            r"<p>So \begin{align}a &amp;= b\\ c &amp;= d\end{align} holds</p>",
            r"So $\begin{align}a &= b\\ c &= d\end{align}$ holds",
        ),
        (
            "<p>So\n\\begin{equation*}\nx^2\n\\end{equation*}</p>",
            "So\n$\\begin{equation*} x^2 \\end{equation*}$",
        ),
        (r"$\begin{gather}x\end{gather}$ and $y$", r"$\begin{gather}x\end{gather}$ and $y$"),
        (r"$ \begin{gather}x\end{gather} $ and $y$", r"$\begin{gather}x\end{gather}$ and $y$"),
        (r"$$\begin{align}x\end{align}$$ $y$", r"$\begin{align}x\end{align}$ $y$"),
        (r"\[\begin{align}x\end{align}\]", r"$\begin{align}x\end{align}$"),
        (r"\begin{align}x\end{align} $y$", r"$\begin{align}x\end{align}$ $y$"),
        (r"$y$ \begin{align}x\end{align} $z$", r"$y$ $\begin{align}x\end{align}$ $z$"),
        (r"so $f = \begin{align}x\end{align}$ holds", r"so $f = \begin{align}x\end{align}$ holds"),
        (r"$\begin{align}x\end{align} + 1$ holds", r"$\begin{align}x\end{align} + 1$ holds"),
        (r"$\text{as \(x\)}$ and \(y\)", r"$\text{as \(x\)}$ and $y$"),
        (r"for $5 and \(x\) and $$y$$", r"for $5 and $x$ and $y$"),
        (
            r"\begin{align}x\end{align}\begin{align}y\end{align}",
            r"$\begin{align}x\end{align}$$\begin{align}y\end{align}$",
        ),
        (r"\begin{align}x never ends", r"\begin{align}x never ends"),
        (r"\begin{align}x\end{gather}", r"\begin{align}x\end{gather}"),
        (r"\begin{document}x\end{document}", r"\begin{document}x\end{document}"),
        (
            r'<span class="math-container" id="1">\begin{align}x\end{align}</span> here',
            r"$\begin{align}x\end{align}$ here",
        ),
    ],
)
def test_an_environment_of_formulas_is_a_formula_by_itself(body: str, text: str) -> None:
    assert clean_with_formulas(body).text == text


def test_topics_as_lines_of_json_and_as_a_table(tmp_path: Path) -> None:
    lines = tmp_path / "topics.jsonl"
    lines.write_text(
        '{"qid": 7, "title": "Sums", "text": "Is $a<b$ or $c>d$?", "tags": "x, y"}\n\n'
        '{"id": "A.2", "body": "<p>Why <span class=\\"math-container\\" id=\\"q_1\\">$x$</span>?</p>"}\n'
    )
    first, second = read_topics(lines)
    assert (first.id, first.text, first.tags) == ("7", "Sums Is $a<b$ or $c>d$?", ("x", "y"))
    assert first.question.formulas == (("", "a<b"), ("", "c>d"))
    assert (second.id, second.text, second.question.formulas) == ("A.2", "Why $x$?", (("q_1", "x"),))
    table = tmp_path / "headed.tsv"
    table.write_text("\ufeffqid\tquery\nA.1\tid \\(a% b\\)\nid\ttext\n")
    assert [(topic.id, topic.text) for topic in read_topics(table)] == [("A.1", "id $ab$"), ("id", "text")]
    table = tmp_path / "topics.tsv"
    table.write_text("A.1\tis  $a<b$ so?\nA.2\tno\n")
    assert [(topic.id, topic.text) for topic in read_topics(table)] == [
        ("A.1", "is $a<b$ so?"),
        ("A.2", "no"),
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"id": "A", "question": "x"}\n{"id": "A", "question": "y"}\n', 2),
        ("A\tx\nB\ty\nA\tx\n", 3),
        ('{"id": "A"}\n', 1),
        ('{"id": "A", "question": "x"}\n[1]\n', 2),
        ('{"id": "A", \n', 1),
        ("A\tx\ty\n", 1),
        ("only words\n", 1),
        (
            '<Topics><Topic number="A"><Question>x</Question></Topic>\n'
            '<Topic number="A"><Question>y</Question></Topic></Topics>\n',
            2,
        ),
    ],
)
def test_topics_that_are_none_name_their_line(tmp_path: Path, text: str, line: int) -> None:
    path = tmp_path / "topics"
    path.write_text(text)
    with expect_error("E317") as caught:
        read_topics(path)
    assert caught.value.line == line


@pytest.mark.parametrize("reader", ["posts", "topics"])
def test_entity_bombs_are_refused(tmp_path: Path, reader: str) -> None:
    path = tmp_path / "bomb.xml"
    path.write_text(
        '<?xml version="1.0"?>\n<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>\n'
        '<Topics><Topic number="A.1"><Question>&b;</Question></Topic></Topics>\n'
    )
    with expect_error("E300"):
        _ = read_topics(path) if reader == "topics" else list(read_posts(path, Report()))


def test_files_that_are_something_else(tmp_path: Path) -> None:
    path = tmp_path / "file.xml"
    path.write_text("<html><body>not found</body></html>")
    with expect_error("E300"):
        list(read_posts(path, Report()))
    with expect_error("E300"):
        read_topics(path)
    path.write_text("<Topics><Topic>")
    with expect_error("E300", line=1):
        read_topics(path)
    with pytest.raises(DataError) as caught:
        list(read_posts(tmp_path / "missing.xml", Report()))
    assert caught.value.exit_code == 3


def test_links(tmp_path: Path) -> None:
    rows = (
        '<row Id="1" PostId="10" RelatedPostId="11" LinkTypeId="1" />\n'
        '<row Id="2" PostId="10" RelatedPostId="12" LinkTypeId="3" />\n'
        '<row Id="3" PostId="10" LinkTypeId="3" />\n'
    )
    report = Report()
    links = list(read_post_links(posts_file(tmp_path / "PostLinks.xml", rows), report))
    assert links == [("10", "11", "related"), ("10", "12", "duplicate")]
    assert report.bad == 1


def test_formula_tables_of_all_versions(tmp_path: Path) -> None:
    path = tmp_path / "formulas.tsv"
    headers = {
        "v1": ("id\tpost_id\tthread_id\ttype\tformula", "1\t9\t8\tanswer\tx", ""),
        "v2": ("id\tpost_id\tthread_id\ttype\tvisual_id\tformula", "1\t9\t8\tanswer\t77\tx", "77"),
        "v3": (
            "id\tpost_id\tthread_id\ttype\tcomment_id\told_visual_id\tvisual_id\tissue\tformula",
            "1\t9\t8\tanswer\t\t5\t77\t\tx",
            "77",
        ),
        "other": ("visual_id\tlatex\tid\tpost_id\ttype", "77\tx\t1\t9\tanswer", "77"),
    }
    for header, row, visual_id in headers.values():
        path.write_text(f"{header}\n{row}\n1\t2\n")
        report = Report()
        (formula,) = read_formulas(path, report)
        assert (formula.id, formula.post, formula.kind, formula.text) == ("1", "9", "answer", "x")
        assert formula.visual_id == visual_id
        assert (report.read, report.bad) == (1, 1)


def test_bad_lines_of_tables_and_json_are_counted_with_their_numbers(tmp_path: Path) -> None:
    table = tmp_path / "formulas.tsv"
    table.write_bytes(b'id\tpost_id\tlatex\n1\t9\t\xff\n2\t9\n3\t9\t"a ""b""\nc"\n4\t9\tx\n')
    report = Report()
    found = [(formula.id, formula.text) for formula in read_formulas(table, report)]
    assert found == [("3", 'a "b"\nc'), ("4", "x")]
    assert [line for line, _ in report.first] == [2, 3]
    rows = ['1\t9\tx"y"', "", '2\t9\t"x', "3\t9\ty", '4\t9\t"z', "5\t9\tw", '6\t9\t"v', "7\t9\tu"]
    table.write_text("\n".join(["id\tpost_id\tlatex", *rows]) + "\n")
    report = Report()
    found = [(formula.id, formula.text, formula.line) for formula in read_formulas(table, report)]
    literal = [(row.split("\t")[0], row.split("\t")[2], line) for line, row in enumerate(rows, 2) if row]
    assert (found, report.bad) == (literal, 0)
    table.write_bytes(
        '\ufeff"id"\t"visual_id"\t"latex"\r\n1\t5\t"x\r\ny"\r\n2\t\t\r\n3\t7\t"x\tz\r\n'.encode()
    )
    report = Report()
    found = [(formula.id, formula.text, formula.line) for formula in read_formulas(table, report)]
    assert (found, report.first) == ([("1", "x\ny", 2), ("2", "", 4)], [(5, "4 columns, not 3")])
    posts = tmp_path / "posts.jsonl"
    good = b'{"id": 1, "type": 1, "title": "t", "body": "b"}\n'
    wiki = b'{"id": 9, "type": 5, "title": "", "body": "what the tag means"}\n'
    posts.write_bytes(good + b"\xff\n{}\n[]\nnull\n" + wiki + good)
    report = Report()
    assert len(list(read_posts(posts, report))) == 2
    assert [line for line, _ in report.first] == [2, 3, 4, 5]


def test_comments(tmp_path: Path) -> None:
    rows = (
        '<row Id="1" PostId="10" Text="But &lt;span class=&quot;math-container&quot; id=&quot;3&quot;&gt;$x$'
        '&lt;/span&gt; is &amp;lt; 0" />\n<row Id="2" Text="lost" />\n'
    )
    report = Report()
    comments = list(read_comments(posts_file(tmp_path / "Comments.xml", rows), report))
    assert comments == [Comment("1", "10", "But $x$ is < 0")]
    assert report.first == [(4, "comment 2 has no PostId")]


SPAN = '<span class="math-container" id="{}">{}</span>'


@pytest.mark.parametrize(
    ("body", "text", "formulas", "warned"),
    [
        (SPAN.format(1, "$a<b$"), "$a<b$", ["a<b"], 0),
        (SPAN.format(1, "$a<b>c</b>$"), "$ac$", ["ac"], 0),
        (SPAN.format(1, "<em>$a$</em>") + "</em></p>", "$a$", ["a"], 0),
        ('<span class="math-container" id="1">$a$ and ' + SPAN.format(2, "$b$"), "$a$ and $b$", ["b"], 1),
        (SPAN.format(1, "$a$") + '<span class="math-container" id="2">$b', "$a$$b", ["a"], 1),
        (SPAN.format(1, ""), "$$", [""], 0),
        ('<span class="math-container">' + SPAN.format(2, "$b$") + "</span>", "$b$", ["b"], 0),
    ],
)
def test_broken_html_in_formulas_is_counted_and_loses_no_text(
    tmp_path: Path, body: str, text: str, formulas: list[str], warned: int
) -> None:
    row = f'<row Id="1" PostTypeId="1" Body="{html.escape(body)}" />\n'
    report = Report()
    (post,) = read_posts(posts_file(tmp_path / "Posts.xml", row), report)
    assert post.body.text == text
    assert [latex for _, latex in post.body.formulas] == formulas
    assert (report.bad, report.warned) == (0, warned)


@given(st.lists(st.sampled_from([*"<>&;/$ ab", "<span", SPAN.format(1, "$x$"), "</span>", "&lt;", "\x00"])))
def test_no_html_makes_cleaning_fail(pieces: list[str]) -> None:
    cleaned = clean_with_formulas("".join(pieces))
    assert "\x00" not in cleaned.text


def test_a_post_with_a_megabyte_of_latex_is_a_post(tmp_path: Path) -> None:
    latex = "\\frac{1}{x}+" * 100_000
    body = html.escape(f"<p>{SPAN.format(1, latex)} <b>so</b></p>" + "<" * 50_000)
    row = f'<row Id="1" PostTypeId="1" Body="{body}" />\n'
    (post,) = read_posts(posts_file(tmp_path / "Posts.xml", row), Report())
    assert post.body.formulas == (("1", latex),)


@pytest.mark.parametrize("name", ["Posts.xml.gz", "topics.xml.gz", "posts.jsonl.gz"])
def test_a_truncated_gzip_is_an_error_and_no_shorter_collection(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    rows = "".join(ROW.format(id=number, kind=1, extra=f'Score="{number**3}"') for number in range(3_000))
    path.write_bytes(gzip.compress(rows.encode())[:-500])
    with expect_error("E316"):
        _ = read_topics(path) if "topics" in name else list(read_posts(path, Report()))


def test_other_encodings_are_told(tmp_path: Path) -> None:
    path = tmp_path / "Posts.xml"
    path.write_text(ROW.format(id=1, kind=1, extra=""), encoding="utf-16")
    with expect_error("E315"):
        list(read_posts(path, Report()))
    path.write_bytes('<row Id="1" PostTypeId="1" Body="naïve" />\n'.encode("latin-1") * 3)
    with expect_error("E300", line=1):
        list(read_posts(path, Report()))


@pytest.mark.real_data
def test_the_mini_collection(real_data: Path) -> None:
    folder = real_data / "arqmath"
    report = Report()
    posts = list(read_posts(folder / "posts_mini.jsonl.gz", report))
    assert [sum(post.kind == kind for post in posts) for kind in (1, 2)] == [2_769, 3_395]
    assert report.bad == 0
    in_table = {f.id: f.text for f in read_formulas(folder / "formulas_mini.tsv.gz", Report())}
    in_posts = [formula for post in posts for formula in post.body.formulas]
    assert len(in_posts) > 50_000
    known = [identity for identity, _ in in_posts if identity in in_table]
    assert len(known) / len(in_posts) > 0.98


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "count"), [("1_2020", 98), ("1_2021", 100), ("2_2020", 85), ("2_2021", 100)]
)
def test_the_topics(real_data: Path, name: str, count: int) -> None:
    topics = read_topics(real_data / "arqmath" / f"topics_task{name}.xml")
    assert len(topics) == count
    assert all(topic.text and topic.tags for topic in topics)
    if name.startswith("2"):
        for topic in topics:
            ids = [identity for identity, _ in (*topic.title.formulas, *topic.question.formulas)]
            assert topic.formula in ids
