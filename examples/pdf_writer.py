"""A small writer of PDF files: text, rules and fills at given places, in the standard fonts, nothing packed.

The examples and the tests are made with it, so that their bytes can be read and stay the same from run to run.
"""

from __future__ import annotations

FONTS = {"plain": "Helvetica", "bold": "Helvetica-Bold", "italic": "Helvetica-Oblique", "symbol": "Symbol"}
_WIDTHS = {**dict.fromkeys("iljI.,:;'|!", 0.25), **dict.fromkeys("mwMW%", 0.86), **dict.fromkeys("frt()[]-/ ", 0.32)}


def text_width(text: str, size: float) -> float:
    """About how wide a text is: enough to centre it or set it flush right."""
    return size * sum(_WIDTHS.get(c, 0.67 if c.isupper() else 0.55) for c in text)


class PdfPage:
    """One page, measured in points from its upper left corner."""

    def __init__(self, width: float = 595, height: float = 842, rotate: int = 0) -> None:
        self.width, self.height, self.rotate = width, height, rotate
        self.content: list[str] = []

    def text(
        self, x: float, y: float, text: str, size: float = 10, font: str = "plain", align: str = "left", turn: int = 0
    ) -> None:
        """A text whose baseline begins (or ends, or has its middle) at a place; `turn` 90 reads upwards."""
        width = text_width(text, size)
        x -= width if align == "right" else width / 2 if align == "center" else 0
        matrix = {0: "1 0 0 1", 90: "0 1 -1 0"}[turn]
        plain = text.encode("cp1252", "replace").decode("latin-1")
        escaped = plain.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        name = list(FONTS).index(font)
        self.content.append(f"BT /F{name} {size:g} Tf {matrix} {x:.2f} {self.height - y:.2f} Tm ({escaped}) Tj ET")

    def rule(self, x: float, y: float, x2: float, y2: float, pen: float = 0.6) -> None:
        self.content.append(f"{pen:g} w {x:.2f} {self.height - y:.2f} m {x2:.2f} {self.height - y2:.2f} l S")

    def fill(self, x: float, y: float, x2: float, y2: float, grey: float = 0.9) -> None:
        box = f"{x:.2f} {self.height - y2:.2f} {x2 - x:.2f} {y2 - y:.2f}"
        self.content.append(f"{grey:g} g {box} re f 0 g")


def write_pdf(pages: list[PdfPage], title: str = "", author: str = "") -> bytes:
    """The bytes of a document."""
    count = len(pages)
    font_refs = " ".join(f"/F{n} {3 + n} 0 R" for n in range(len(FONTS)))
    first = 3 + len(FONTS)
    kids = " ".join(f"{first + 2 * n} 0 R" for n in range(count))
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids [{kids}] /Count {count} >>"]
    for name in FONTS.values():
        encoding = "" if name == "Symbol" else " /Encoding /WinAnsiEncoding"
        objects.append(f"<< /Type /Font /Subtype /Type1 /BaseFont /{name}{encoding} >>")
    for n, page in enumerate(pages):
        content = "\n".join(page.content)
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {page.width:g} {page.height:g}] /Rotate {page.rotate} "
            f"/Resources << /Font << {font_refs} >> >> /Contents {first + 2 * n + 1} 0 R >>"
        )
        objects.append(f"<< /Length {len(content.encode('latin-1'))} >>\nstream\n{content}\nendstream")
    objects.append(f"<< /Title ({title}) /Author ({author}) >>")
    return join_objects(objects, f"/Info {len(objects)} 0 R")


def join_objects(objects: list[str], trailer: str = "") -> bytes:
    """Objects numbered from 1 (the first is the catalogue) as a file with its cross-reference table."""
    data = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"
    places = []
    for number, text in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{text}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    end = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    end += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R {trailer} >>\nstartxref\n{len(data)}\n%%EOF\n"
    return data + end.encode("latin-1")
