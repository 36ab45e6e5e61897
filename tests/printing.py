"""PDF files for tests, made with the writer of the examples: plain ones, protected ones, and ones out of order."""

from __future__ import annotations

import sys
from hashlib import md5
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))

from pdf_writer import PdfPage, join_objects, write_pdf

__all__ = ["PdfPage", "join_objects", "lay_table", "protect", "scanned_pdf", "write_pdf"]

_PAD = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")


def lay_table(
    page: PdfPage, rows: list[list[str]], top: float, edges: list[float], *, ruled: bool = False, step: float = 15
) -> None:
    """A table with its first row in bold; the first column flush left, the others flush right."""
    for number, row in enumerate(rows):
        y = top + step * number
        for column, text in enumerate(row):
            x, align = (edges[column] + 3, "left") if column == 0 else (edges[column + 1] - 3, "right")
            page.text(x, y + 0.7 * step, text, 9, "plain" if number else "bold", align)
    bottom = top + step * len(rows)
    for y in [top + step * n for n in range(len(rows) + 1)] if ruled else [top, top + step, bottom]:
        page.rule(edges[0], y, edges[-1], y)
    for x in edges if ruled else []:
        page.rule(x, top, x, bottom)


def scanned_pdf() -> bytes:
    """A page that is one picture, without text."""
    content = "q 595 0 0 842 0 0 cm /I Do Q"
    return join_objects(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /XObject << /I 5 0 R >> >> "
            "/Contents 4 0 R >>",
            f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
            "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 "
            "/Length 1 >>\nstream\nw\nendstream",
        ]
    )


def protect(password: bytes) -> bytes:
    """A page under the oldest of the standard protections; with an empty password everybody may open it."""
    user, owner = (password + _PAD)[:32], _PAD
    name = b"tabellion-tests!"
    owner_entry = _rc4(md5(owner).digest()[:5], user)  # noqa: S324
    key = md5(user + owner_entry + (-4 & 0xFFFFFFFF).to_bytes(4, "little") + name).digest()[:5]  # noqa: S324
    content = "BT /F0 12 Tf 72 700 Td (Hello) Tj ET"
    content_key = md5(key + (4).to_bytes(3, "little") + b"\0\0").digest()[:10]  # noqa: S324
    packed = _rc4(content_key, content.encode()).decode("latin-1")
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F0 << /Type /Font "
        "/Subtype /Type1 /BaseFont /Helvetica >> >> >> /Contents 4 0 R >>",
        f"<< /Length {len(packed)} >>\nstream\n{packed}\nendstream",
        f"<< /Filter /Standard /V 1 /R 2 /P -4 /O <{owner_entry.hex()}> /U <{_rc4(key, _PAD).hex()}> >>",
    ]
    return join_objects(objects, f"/Encrypt 5 0 R /ID [<{name.hex()}> <{name.hex()}>]")


def _rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


def drawn_pdf(content: str, form: str = "", to_unicode: str = "", mapped: str = "Helvetica") -> bytes:
    """A page with this content; `/X` is a form, `/F1` a font whose letters stand for what the map says."""
    streams = [f"<< /Length {len(text)} >>\nstream\n{text}\nendstream" for text in (content, to_unicode)]
    return join_objects(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
            "/Resources << /XObject << /X 6 0 R >> /Font << /F0 7 0 R /F1 8 0 R >> >> >>",
            *streams,
            "<< /Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << /Font << /F0 7 0 R >> >> "
            f"/Length {len(form)} >>\nstream\n{form}\nendstream",
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            f"<< /Type /Font /Subtype /Type1 /BaseFont /{mapped} /ToUnicode 5 0 R >>",
        ]
    )
