"""Files as they are published: plain, or packed by gzip, bzip2, xz, zip or 7z, which their first bytes say.

Of an archive the file `Posts.xml` is read, or the only one in a zip. 7z is unpacked by a program: 7-Zip or
libarchive's bsdtar, whichever is installed; nothing is written to the disk.
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
from engines.core.watched import open_read

__all__ = ["unpacked"]

_POSTS = "Posts.xml"
_PROGRAMS = {
    **dict.fromkeys(("7zz", "7z", "7za", "7zr"), ("x", "-so", "-bd", "-y", "--")),
    "bsdtar": ("-x", "-O", "-f"),
}
"""Programs that write a file of a 7z archive to their output, and what comes before its name."""


@contextmanager
def unpacked(path: Path) -> Iterator[IO[bytes]]:
    """A file for reading, unpacked when it is packed.

    Raises: OSError when it cannot be read; DataError, also while it is read, for one that is corrupt or cut
    short (E316), an archive without posts (E318), and 7z without a program for it (E328).
    """
    import bz2
    import gzip
    import lzma
    import zipfile

    with open_read(path) as file:
        start = file.peek(6)[:6]
        try:
            if start.startswith(b"\x1f\x8b"):
                yield gzip.GzipFile(fileobj=file)  # type: ignore[misc]
            elif start.startswith(b"BZh"):
                yield bz2.BZ2File(file)
            elif start == b"\xfd7zXZ\x00":
                with lzma.LZMAFile(file) as stream:
                    yield stream
            elif start.startswith(b"PK\x03\x04"):
                with zipfile.ZipFile(file) as archive, archive.open(_member(archive, path)) as member:
                    yield member
            elif start == b"7z\xbc\xaf\x27\x1c":
                with _seven(path) as output:
                    yield output
            else:
                yield file
        except (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError, zipfile.BadZipFile) as error:
            raise _corrupt(path) from error
        except OSError as error:
            if error.errno is None:  # bzip2 says so of bad data
                raise _corrupt(path) from error
            raise


def _corrupt(path: Path) -> DataError:
    what = "the compressed file ends too early or is corrupt"
    return DataError(what, path=path, code="E316", remedy="Fetch or copy it again.")


def _member(archive: Any, path: Path) -> str:
    names = [name for name in archive.namelist() if not name.endswith("/")]
    wanted = [name for name in names if name.rpartition("/")[2].lower() == _POSTS.lower()]
    if len(names) != 1 and not wanted:
        what = f"the archive holds {len(names)} files, and none is {_POSTS}"
        raise DataError(what, path=path, code="E318", remedy="Unpack it and name the file of posts.")
    return str((wanted or names)[0])


@contextmanager
def _seven(path: Path) -> Iterator[IO[bytes]]:
    """What a program writes of the posts in a 7z archive."""
    program = next(filter(shutil.which, _PROGRAMS), None)
    if program is None:
        raise DataError(
            "no program that unpacks 7z is installed",
            path=path,
            code="E328",
            exit_code=3,
            remedy=f"Install 7-Zip or bsdtar, or unpack {_POSTS} from it yourself.",
        )
    command = [program, *_PROGRAMS[program], str(path.absolute()), _POSTS]
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
            raise _corrupt(path)
