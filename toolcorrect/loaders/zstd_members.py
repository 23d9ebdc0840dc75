"""Members of a zip archive, those packed with zstd (method 93) too, which `zipfile` of older Pythons refuses."""

from __future__ import annotations

import struct
import zipfile
import zlib

import pyarrow as pa

_ZSTD = 93
# The fixed part of a member's local header: lengths of the name and of the extra field are its last two numbers.
_LOCAL_HEADER = struct.Struct("<4s22xHH")
_BLOCK = 1 << 20


def read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Unpack one member.

    Raises
    ------
    ValueError
        Where it is damaged, or unpacks to more than the archive says.
    """
    try:
        if member.compress_type != _ZSTD:
            return archive.read(member)
        return _unpacked(archive, member)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError, ValueError, zlib.error,
            struct.error, pa.ArrowException) as cause:  # fmt: skip
        raise ValueError(f"it cannot be unpacked: {str(cause)[:120]}") from None


def _unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    stream = archive.fp
    if stream is None:
        raise ValueError("the archive is closed")
    stream.seek(member.header_offset)
    _, name, extra = _LOCAL_HEADER.unpack(stream.read(_LOCAL_HEADER.size))
    stream.seek(name + extra, 1)
    packed = pa.BufferReader(stream.read(member.compress_size))
    blocks, left = [], member.file_size
    with pa.CompressedInputStream(packed, "zstd") as unpacked:
        while left >= 0 and (block := unpacked.read(min(_BLOCK, left + 1))):
            blocks.append(block)
            left -= len(block)
    if left:
        raise ValueError("it is not as long as the archive says")
    data = b"".join(blocks)
    if zlib.crc32(data) != member.CRC:
        raise ValueError("its checksum is wrong")
    return data
