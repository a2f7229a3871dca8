"""Archives made with the standard library, and by hand where it refuses."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import shutil
import struct
import subprocess
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping

BLOCK = 512

COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "plain": lambda data: data,
    "gz": lambda data: gzip.compress(data, mtime=0),
    "bz2": bz2.compress,
    "xz": lzma.compress,
}
if shutil.which("zstd"):
    COMPRESSIONS["zst"] = lambda data: (
        subprocess.run(["zstd", "-q", "-c"], input=data, capture_output=True, check=True).stdout
    )


def member(
    name: str, content: bytes | str = b"", **fields: object
) -> tuple[tarfile.TarInfo, bytes]:
    """A member of a tar; a content of text is the target of a link."""
    info = tarfile.TarInfo(name)
    if isinstance(content, str):
        info.type, info.linkname, content = tarfile.SYMTYPE, content, b""
    info.size = len(content)
    for field, value in fields.items():
        setattr(info, field, value)
    return info, content


def tar_of(
    members: Iterable[tuple[tarfile.TarInfo, bytes]] | Mapping[str, bytes | str],
    format: int = tarfile.PAX_FORMAT,
) -> bytes:
    if isinstance(members, Mapping):
        members = [member(name, content) for name, content in members.items()]
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=format) as archive:
        for info, content in members:
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def tgz_of(members: Mapping[str, bytes | str]) -> bytes:
    return gzip.compress(tar_of(members), 5, mtime=0)


def gem_of(files: Mapping[str, bytes | str], metadata: bytes = b"--- {}\n") -> bytes:
    return tar_of(
        {
            "metadata.gz": gzip.compress(metadata, mtime=0),
            "data.tar.gz": tgz_of(files),
            "checksums.yaml.gz": gzip.compress(b"---\nSHA256: {}\n", mtime=0),
        },
        tarfile.USTAR_FORMAT,
    )


def zip_of(files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return out.getvalue()


# By hand.


def header(
    name: bytes, size: int = 0, kind: bytes = b"0", *, target: bytes = b"", prefix: bytes = b""
) -> bytes:
    """The header of a tar, with the right checksum."""
    block = bytearray(BLOCK)
    block[0 : len(name)] = name
    block[100:108] = b"0000644\0"
    block[108:116] = block[116:124] = b"0000000\0"
    block[124:136] = b"%011o\0" % size
    block[136:148] = b"00000000000\0"
    block[156:157] = kind
    block[157 : 157 + len(target)] = target
    block[257:265] = b"ustar\x0000"
    block[345 : 345 + len(prefix)] = prefix
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % BLOCK)


def pax(records: Mapping[bytes, bytes], kind: bytes = b"x") -> bytes:
    """An extended header."""
    text = b""
    for key, value in records.items():
        rest = b" %s=%s\n" % (key, value)
        length = len(rest)
        while length != len(rest) + len(b"%d" % length):
            length = len(rest) + len(b"%d" % length)
        text += b"%d%s" % (length, rest)
    return header(b"pax", len(text), kind) + padded(text)


END = bytes(2 * BLOCK)


class Zip:
    """A zip whose every field can be wrong."""

    def __init__(self) -> None:
        self.body = bytearray()
        self.directory = bytearray()
        self.count = 0

    def add(
        self,
        name: bytes,
        content: bytes = b"",
        *,
        method: int = 8,
        local_name: bytes | None = None,
        flags: int = 0,
        size: int | None = None,
        checksum: int | None = None,
        mode: int = 0o100644,
        at: int | None = None,
        listed: bool = True,
        extra: bytes = b"",
        data: bytes | None = None,
        local_size: int | None = None,
        local_extra: bytes = b"",
        system: int = 3,
    ) -> int:
        """Add an entry; the place of its local header."""
        if data is None:
            deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
            data = deflate.compress(content) + deflate.flush() if method == 8 else content
        size = len(content) if size is None else size
        checksum = zlib.crc32(content) if checksum is None else checksum
        local_name = name if local_name is None else local_name
        place = len(self.body) if at is None else at
        if at is None:
            self.body += struct.pack(
                "<4s5H3I2H",
                b"PK\x03\x04", 20, flags, method, 0, 0, checksum, len(data),
                size if local_size is None else local_size, len(local_name), len(local_extra),
            )  # fmt: skip
            self.body += local_name + local_extra + data
        if listed:
            self.directory += struct.pack(
                "<4s6H3I5H2I",
                b"PK\x01\x02", system << 8 | 20, 20, flags, method, 0, 0, checksum, len(data), size,
                len(name), len(extra), 0, 0, 0, mode << 16, place,
            )  # fmt: skip
            self.directory += name + extra
            self.count += 1
        return place

    def bytes(self, *, comment: bytes = b"", count: int | None = None) -> bytes:
        count = self.count if count is None else count
        end = struct.pack(
            "<4s4H2IH",
            b"PK\x05\x06", 0, 0, count, count, len(self.directory), len(self.body), len(comment),
        )  # fmt: skip
        return bytes(self.body + self.directory + end + comment)
