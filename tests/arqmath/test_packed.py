"""Dumps as they are published: each way of packing gives the posts of the plain file; what fails says why."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zipfile
from pathlib import Path

import pytest

from engines.core.errors import DataError
from engines.forum.folder import ArqmathFolder
from engines.forum.post_text import clean_body
from engines.forum.readers import Report, read_post_links, read_posts
from tests.conftest import expect_error

DUMP = (
    '<?xml version="1.0" encoding="utf-8"?>\n<posts>\n'
    + "".join(
        f'  <row Id="{n}" PostTypeId="{1 + n % 2}" ParentId="2" Title="T" Body="so $x_{n}$" />\n'
        for n in range(2, 200)
    )
    + "</posts>\n"
).encode()
SEVEN = b"7z\xbc\xaf\x27\x1c"


def texts(path: Path) -> list[str]:
    return [post.text for post in read_posts(path, Report())]


def packed(folder: Path, kind: str) -> Path:
    path = folder / f"Posts.xml.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("Badges.xml", "<badges/>")
            archive.writestr("Posts.xml", DUMP)
    else:
        pack = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}[kind]
        path.write_bytes(pack(DUMP))
    return path


@pytest.mark.parametrize("kind", ["gz", "bz2", "xz", "zip"])
def test_every_packing_gives_the_same_posts(tmp_path: Path, kind: str) -> None:
    plain = tmp_path / "plain"
    plain.write_bytes(DUMP)
    path = packed(tmp_path, kind)
    expected = texts(plain)
    assert expected[:2] == ["T so $x_2$", "T so $x_3$"]
    assert texts(path) == expected
    assert ArqmathFolder.open(path).posts == path
    path.write_bytes(path.read_bytes()[:-300])
    with pytest.raises(DataError) as caught:
        texts(path)
    assert caught.value.code == "E316"


def test_an_archive_without_posts(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "Posts.xml.zip", "w") as archive:
        archive.writestr("a", "")
        archive.writestr("b", "")
    with expect_error("E318"):
        texts(tmp_path / "Posts.xml.zip")


LINKS = """<postlinks>
  <row Id="1" PostId="3" RelatedPostId="5" LinkTypeId="3" />
  <row Id="2" PostId="5" RelatedPostId="7" LinkTypeId="1" />
</postlinks>
"""
LINKED = [("3", "5", "duplicate"), ("5", "7", "related")]


def linked(folder: ArqmathFolder) -> list[tuple[str, str, str]]:
    return [] if folder.links is None else list(read_post_links(folder.links, Report()))


def test_links_are_read_of_the_archive_of_the_posts(tmp_path: Path) -> None:
    site = tmp_path / "math.stackexchange.com.zip"
    with zipfile.ZipFile(site, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("Posts.xml", DUMP)
    assert ArqmathFolder.open(tmp_path).links is None
    with zipfile.ZipFile(site, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("PostLinks.xml", LINKS)
    folder = ArqmathFolder.open(tmp_path)
    assert linked(folder) == LINKED
    assert len(list(read_posts(folder.need_posts(), Report()))) == 198
    # A file of links of its own comes first, packed in any way.
    (tmp_path / "PostLinks.xml.bz2").write_bytes(bz2.compress(LINKS.replace('"7"', '"9"').encode()))
    assert linked(ArqmathFolder.open(tmp_path))[1] == ("5", "9", "related")


@pytest.mark.parametrize("name", ["7zz", "bsdtar"])
def test_links_are_read_of_a_7z_that_lists_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "links").write_text(LINKS)
    site = tmp_path / "math.stackexchange.com.7z"
    site.write_bytes(SEVEN + b"whatever")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert ArqmathFolder.open(tmp_path).links is None
    lists = {"7zz": "l -ba -- ", "bsdtar": "-t -f "}[name] + str(site)
    writes = f'*"{site} PostLinks.xml") /bin/cat "{tmp_path}/links";;'
    program(
        tmp_path / "bin", name, f'case "$*" in "{lists} PostLinks.xml") echo PostLinks.xml;; {writes} esac'
    )
    assert linked(ArqmathFolder.open(tmp_path)) == LINKED
    program(tmp_path / "bin", name, f'case "$*" in "{lists}"*) exit 1;; {writes} esac')
    assert ArqmathFolder.open(tmp_path).links is None


def program(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.mark.parametrize("name", ["7z", "bsdtar"])
def test_7z_is_read_through_whichever_program_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "plain").write_bytes(DUMP)
    dump = tmp_path / "math.stackexchange.com.7z"
    dump.write_bytes(SEVEN + b"whatever")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(DataError) as caught:
        texts(dump)
    assert (caught.value.code, caught.value.exit_code) == ("E328", 3)
    # It writes the plain file when it is asked for the archive's posts.
    asked = f'case "$*" in *"{dump} Posts.xml") /bin/cat "{tmp_path}/plain";; esac'
    program(tmp_path / "bin", name, asked)
    assert texts(dump) == texts(tmp_path / "plain")
    assert ArqmathFolder.open(tmp_path).posts == dump
    program(tmp_path / "bin", name, asked + "\nexit 2")
    with pytest.raises(DataError) as caught:
        texts(dump)
    assert caught.value.code == "E316"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (r"<p>Is \(a&lt;b\) so?</p>", "Is $a<b$ so?"),
        ("<p>Then\n$$x\n+ y$$\nholds</p>", "Then\n$x + y$\nholds"),
        (r"\[\begin{matrix}1\\[2pt]2\end{matrix}\]", r"$\begin{matrix}1\\[2pt]2\end{matrix}$"),
        (r"<span class='math-container'>$\text{if \(x\)}$</span> and \(y\)", r"$\text{if \(x\)}$ and $y$"),
        (r"a \(lone delimiter and $x$", r"a \(lone delimiter and $x$"),
        (r"\(costs $5\) and $$$$", r"\(costs $5\) and $$$$"),
    ],
)
def test_formulas_between_other_delimiters(body: str, text: str) -> None:
    assert clean_body(body) == text
