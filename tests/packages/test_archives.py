"""Archives read as the ordinary tools read them, by their content, with levelled paths."""

from __future__ import annotations

import gzip
import io
import shutil
import stat
import subprocess
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest

from packages.archive_building import COMPRESSIONS, gem_of, member, tar_of, tgz_of, zip_of
from versiondiff import tree_delta
from versiondiff.errors import InvalidInput, NotFound, UnsupportedFormat
from versiondiff.packages import EntryFlag, EntryKind, PackageKind, PackageLimits, read_package
from versiondiff.records import Mode

if TYPE_CHECKING:
    from pathlib import Path

LONG = "/".join(["a-long-folder-name"] * 20) + "/file.txt"

FILES: dict[str, bytes | str] = {
    "one.txt": b"one\n",
    "folder/empty": b"",
    "folder/large.bin": bytes(range(256)) * 5_000,
    "folder/ファイル.py": b"x = 1\n",
    LONG: b"long\n",
    "folder/link": "../one.txt",
}


@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("format", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
def test_a_tar_has_the_files_that_tarfile_sees(format: int, compression: str) -> None:
    members = [member(name, content) for name, content in FILES.items()]
    members.append(member("run", b"#!/bin/sh\n", mode=0o755))
    members.append(member("again", type=tarfile.LNKTYPE, linkname="one.txt"))
    members.append(member("folder/", type=tarfile.DIRTYPE))
    data = COMPRESSIONS[compression](tar_of(members, format))
    package = read_package(data)
    assert package.kind is PackageKind.TAR
    assert package.reasons == ()
    assert all(entry.flags == () for entry in package.entries)
    with tarfile.open(fileobj=io.BytesIO(tar_of(members, format))) as archive:
        for entry, info in zip(package.entries, archive, strict=True):
            assert (entry.name or entry.path).rstrip("/") == info.name
            if info.isreg() or info.islnk():
                opened = archive.extractfile(info)
                assert opened is not None
                assert package.content(entry.path) == opened.read()
            elif info.issym():
                assert entry.target == info.linkname
                assert package.content(entry.path) == info.linkname.encode()
    kinds = {entry.path: entry.kind for entry in package.entries}
    assert kinds["run"] is EntryKind.EXECUTABLE
    assert kinds["again"] is EntryKind.HARD_LINK
    assert kinds["folder"] is EntryKind.DIRECTORY


def test_a_tar_is_what_tar_unpacks(tmp_path: Path) -> None:
    """GNU tar is the oracle, and the unpacked tree compares equal."""
    source = tmp_path / "source"
    for name, content in FILES.items():
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            path.symlink_to(content)
        else:
            path.write_bytes(content)
    (source / "run").write_bytes(b"#!/bin/sh\n")
    (source / "run").chmod(0o755)
    for headers in ("ustar", "pax", "gnu", "oldgnu"):
        archive = tmp_path / f"{headers}.tar"
        names = ["."]
        if headers == "ustar":
            names = ["one.txt", "folder", "run"]
        subprocess.run(
            ["tar", "-C", source, f"--format={headers}", "-cf", archive, *names], check=True
        )
        unpacked = tmp_path / headers
        unpacked.mkdir()
        subprocess.run(["tar", "-C", unpacked, "-xf", archive], check=True)
        package = read_package(archive)
        assert tree_delta(unpacked, package.files).changes == ()
        assert not [entry for entry in package.entries if entry.flags]


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_a_zip_has_the_files_that_zipfile_sees(method: int) -> None:
    files = {name: content for name, content in FILES.items() if isinstance(content, bytes)}
    data = zip_of(files, method)
    package = read_package(data)
    assert package.kind is PackageKind.ZIP
    assert package.reasons == ()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert [entry.path for entry in package.entries] == archive.namelist()
        for name in archive.namelist():
            assert package.content(name) == archive.read(name)


def test_a_zip_written_as_a_stream_has_descriptors_and_no_mismatch() -> None:
    class Unseekable(io.RawIOBase):
        def __init__(self) -> None:
            self.data = bytearray()

        def writable(self) -> bool:
            return True

        def write(self, data: object) -> int:
            self.data += memoryview(data).tobytes()  # type: ignore[arg-type]
            return len(memoryview(data))  # type: ignore[arg-type]

    out = Unseekable()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", b"a" * 1_000)
        with archive.open("b", "w", force_zip64=True) as file:
            file.write(b"b" * 1_000)
        info = zipfile.ZipInfo("link")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "a")
        info = zipfile.ZipInfo("run")
        info.external_attr = (stat.S_IFREG | 0o755) << 16
        archive.writestr(info, "#!/bin/sh")
    package = read_package(bytes(out.data))
    assert package.reasons == ()
    assert [entry.flags for entry in package.entries] == [()] * 4
    assert [entry.kind.value for entry in package.entries] == ["file", "file", "link", "executable"]
    assert package.content("b") == b"b" * 1_000
    assert package.entries[2].target == "a"


@pytest.mark.skipif(not shutil.which("zip"), reason="there is no zip program")
def test_a_zip_of_the_zip_program_is_what_it_packed(tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "folder").mkdir(parents=True)
    (source / "folder/a.txt").write_bytes(b"text\n" * 100)
    (source / "run").write_bytes(b"#!/bin/sh\n")
    (source / "run").chmod(0o755)
    (source / "link").symlink_to("run")
    for extra in ([], ["-fz"], ["-0"], ["-Z", "bzip2"]):
        archive = tmp_path / "a.zip"
        archive.unlink(missing_ok=True)
        subprocess.run(["zip", "-qry", *extra, archive, "."], cwd=source, check=True)
        package = read_package(archive)
        assert package.reasons == (), extra
        assert tree_delta(source, package.files).changes == ()


def test_a_zip_of_more_entries_than_16_bits_tell() -> None:
    files = {f"{number}": b"" for number in range(70_000)}
    package = read_package(zip_of(files, zipfile.ZIP_STORED))
    assert len(package.entries) == 70_000
    assert package.reasons == ()


def test_a_gem_is_its_members_unpacked() -> None:
    package = read_package(gem_of({"lib/a.rb": b"a\n", "bin/link": "../lib/a.rb"}, b"name: a\n"))
    assert package.kind is PackageKind.GEM
    assert [entry.path for entry in package.entries] == [
        "metadata", "data/lib/a.rb", "data/bin/link", "checksums.yaml",
    ]  # fmt: skip
    assert package.content("metadata") == b"name: a\n"
    assert package.content("data/lib/a.rb") == b"a\n"
    assert package.entries[1].name == "lib/a.rb"
    assert package.entries[1].within == "data.tar.gz"
    assert not [entry for entry in package.entries if entry.flags]


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        (PackageKind.SDIST, "thing-1.0", "thing-1.1rc1"),
        (PackageKind.CRATE, "thing-1.0.0", "thing-1.1.0-beta.1"),
        (PackageKind.NPM, "package", "package"),
        (PackageKind.NPM, "node", "node"),
        (PackageKind.TAR, "thing-v1.0", "thing-v1.1"),
    ],
)
def test_a_version_in_the_folder_is_no_rename(kind: PackageKind, old: str, new: str) -> None:
    file = {"sdist": "PKG-INFO", "crate": "Cargo.toml", "npm": "package.json"}.get(
        kind.value, "README"
    )
    packages = [
        read_package(tgz_of({f"{folder}/{file}": b"{}", f"{folder}/src/a": b"a"}))
        for folder in (old, new)
    ]
    assert [package.kind for package in packages] == [kind, kind]
    assert packages[0].folder == old
    assert [entry.path for entry in packages[1].entries] == [file, "src/a"]
    assert tree_delta(packages[0].files, packages[1].files).changes == ()


def test_a_version_in_the_names_of_a_wheel_is_no_rename() -> None:
    packages = [
        read_package(
            zip_of(
                {
                    "thing/a.py": b"a",
                    f"thing-{version}.dist-info/WHEEL": b"",
                    f"thing-{version}.data/scripts/run": b"",
                    f"thing-{version}x/b": b"",
                }
            )
        )
        for version in ("1.0", "1.1")
    ]
    assert packages[0].kind is PackageKind.WHEEL
    assert [entry.path for entry in packages[0].entries] == [
        "thing/a.py", "thing.dist-info/WHEEL", "thing.data/scripts/run", "thing-1.0x/b",
    ]  # fmt: skip
    changed = {change.path for change in tree_delta(packages[0].files, packages[1].files).changes}
    assert changed == {"thing-1.0x/b", "thing-1.1x/b"}


def test_a_folder_without_a_version_stays() -> None:
    package = read_package(tgz_of({"src/a": b"", "src/b": b""}))
    assert (package.folder, package.entries[0].path) == (None, "src/a")


def test_one_file_beside_the_folder_does_not_undo_the_levelling() -> None:
    package = read_package(tgz_of({"package/package.json": b"{}", "stray": b"", "package/a": b""}))
    assert [entry.path for entry in package.entries] == ["package.json", "stray", "a"]
    assert package.entries[1].flags == (EntryFlag.OUTSIDE_FOLDER,)


def test_files_of_a_package_go_wherever_files_go() -> None:
    package = read_package(tar_of([member("a", b"1\n"), member("b", "a")]))
    changes = tree_delta({"a": b"0\n"}, package.files).changes
    assert [(change.path, change.new_mode) for change in changes] == [
        ("a", Mode.FILE),
        ("b", Mode.LINK),
    ]


def test_the_name_of_the_file_says_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.whl"
    path.write_bytes(gem_of({"a": b""}))
    assert read_package(path).kind is PackageKind.GEM


def test_archives_without_entries() -> None:
    assert read_package(tar_of({})).entries == ()
    assert read_package(gzip.compress(tar_of({}))).entries == ()
    assert read_package(zip_of({})).entries == ()


@pytest.mark.parametrize("data", [b"", b"hello", b"%PDF-1.4" * 100, b"\x7fELF" + bytes(600)])
def test_what_is_no_archive(data: bytes) -> None:
    with pytest.raises(UnsupportedFormat, match="no archive of a known kind"):
        read_package(data)


def test_what_is_compressed_and_no_tar() -> None:
    for data in (gzip.compress(b"hello"), gzip.compress(zip_of({"a": b""}))):
        with pytest.raises(UnsupportedFormat):
            read_package(data)


def test_errors_name_the_file(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"gone\.whl: there is no such file"):
        read_package(tmp_path / "gone.whl")
    with pytest.raises(InvalidInput, match="is no file"):
        read_package(tmp_path)
    path = tmp_path / "cut\x1b[31m.tgz"
    path.write_bytes(tgz_of({"a": b"a"})[:-9])
    with pytest.raises(InvalidInput, match="damaged archive: tar at byte") as caught:
        read_package(path)
    assert "\x1b" not in str(caught.value)


def test_limits_are_numbers() -> None:
    with pytest.raises(InvalidInput, match="ratio"):
        PackageLimits(ratio=-1)
