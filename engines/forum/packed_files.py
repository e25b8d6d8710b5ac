"""Files as they are published: plain, or packed by gzip, bzip2, xz, zip or 7z, which their first bytes say.

Of an archive the file `Posts.xml` is read, or another by its name, or the only one in a zip. 7z is unpacked
by a program: 7-Zip or libarchive's bsdtar, whichever is installed; nothing is written to the disk.
"""

from __future__ import annotations

import shutil
import subprocess
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from engines.core.errors import DataError
from engines.core.hashing import open_read

LINKS, POSTS = "PostLinks.xml", "Posts.xml"
_ZIP, _SEVEN = b"PK\x03\x04", b"7z\xbc\xaf\x27\x1c"
_PROGRAMS = {
    **dict.fromkeys(("7zz", "7z", "7za", "7zr"), (("x", "-so", "-bd", "-y", "--"), ("l", "-ba", "--"))),
    "bsdtar": (("-x", "-O", "-f"), ("-t", "-f")),
}
"""Programs that write a file of a 7z archive to their output, and that it is there: what comes before the
archive's name for the one and for the other."""


@contextmanager
def open_unpacked(path: Path, name: str = POSTS) -> Iterator[IO[bytes]]:
    """Yield a file for reading, unpacked when it is packed.

    Args:
        name: Of the file that is read of an archive.

    Raises:
        OSError: When it cannot be read.
        DataError: Also while it is read, for one that is corrupt or cut short (E316), an archive without
            posts (E318), and 7z without a program for it (E328).
    """
    import bz2
    import gzip
    import lzma
    import zipfile

    with open_read(path) as file:
        # The first bytes tell how the file is packed, whatever its name says.
        start = file.peek(6)[:6]
        try:
            if start.startswith(b"\x1f\x8b"):
                yield gzip.GzipFile(fileobj=file)  # type: ignore[misc]
            elif start.startswith(b"BZh"):
                yield bz2.BZ2File(file)
            elif start == b"\xfd7zXZ\x00":
                with lzma.LZMAFile(file) as stream:
                    yield stream
            elif start.startswith(_ZIP):
                with (
                    zipfile.ZipFile(file) as archive,
                    archive.open(_find_member(archive, path, name)) as member,
                ):
                    yield member
            elif start == _SEVEN:
                with _open_seven_zip(path, name) as output:
                    yield output
            else:
                yield file
        except (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError, zipfile.BadZipFile) as error:
            raise _corrupt_archive_error(path) from error
        except OSError as error:
            if error.errno is None:  # bzip2 says so of bad data
                raise _corrupt_archive_error(path) from error
            raise


def _corrupt_archive_error(path: Path) -> DataError:
    what = "the compressed file ends too early or is corrupt"
    return DataError(what, path=path, code="E316", remedy="Fetch or copy it again.")


def holds_member(path: Path, name: str) -> bool:
    """Return whether a file is a zip or 7z archive with a file of this name in it; no for one that is
    corrupt, or that no program here unpacks, as reading its posts will tell.
    """
    import zipfile

    try:
        with path.open("rb") as file:
            start = file.read(6)
        if start.startswith(_ZIP):
            with zipfile.ZipFile(path) as archive:
                return bool(_member_names(archive, name))
    except (OSError, zipfile.BadZipFile):
        return False
    program = next(filter(shutil.which, _PROGRAMS), None)
    if start != _SEVEN or program is None:
        return False
    command = [program, *_PROGRAMS[program][1], str(path.absolute()), name]
    listed = subprocess.run(command, capture_output=True, check=False)
    return not listed.returncode and name.lower().encode() in listed.stdout.lower()


def _member_names(archive: Any, name: str) -> list[str]:
    return [each for each in archive.namelist() if each.rpartition("/")[2].lower() == name.lower()]


def _find_member(archive: Any, path: Path, name: str) -> str:
    names, wanted = (
        [each for each in archive.namelist() if not each.endswith("/")],
        _member_names(archive, name),
    )
    if len(names) != 1 and not wanted:
        what = f"the archive holds {len(names)} files, and none is {name}"
        raise DataError(what, path=path, code="E318", remedy=f"Unpack it and name its {name}.")
    return str((wanted or names)[0])


@contextmanager
def _open_seven_zip(path: Path, name: str) -> Iterator[IO[bytes]]:
    """Return what a program writes of a file in a 7z archive."""
    program = next(filter(shutil.which, _PROGRAMS), None)
    if program is None:
        remedy = f"Install 7-Zip or bsdtar, or unpack {name} from it yourself."
        raise DataError("no program that unpacks 7z is installed", path=path, code="E328", remedy=remedy)
    command = [program, *_PROGRAMS[program][0], str(path.absolute()), name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        try:
            yield process.stdout
            ended = not process.stdout.read(1)
        except BaseException:
            process.kill()
            raise
        if not ended:
            process.kill()
        elif process.wait():
            raise _corrupt_archive_error(path)
