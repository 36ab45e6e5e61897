"""Small files made to cost much: each kind is what once passed a limit."""

from __future__ import annotations

import gzip
import io
import zipfile


def pdf(objects: list[bytes]) -> bytes:
    """A PDF of these objects, numbered from 1; the first is its catalogue."""
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)


def stream(entries: bytes, content: bytes) -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (entries, len(content), content)


def pdf_forms(forms: list[bytes]) -> bytes:
    """A PDF of one page that draws the first of some forms; each may draw all of them, by the names F0, F1."""
    names = b" ".join(b"/F%d %d 0 R" % (number, number + 5) for number in range(len(forms)))
    shared = b"/Resources << /XObject << %s >> /Font << /A << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
    shared %= names
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] %s /Contents 4 0 R >>" % shared
    kind = b"/Type /XObject /Subtype /Form /BBox [0 0 600 800] " + shared
    return pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            page,
            stream(b"", b"/F0 Do"),
            *(stream(kind, form) for form in forms),
        ]
    )


def form_that_draws_itself() -> bytes:
    return pdf_forms([b"BT /A 9 Tf 10 10 Td (x) Tj ET " + b"/F0 Do " * 12])


def forms_that_draw_each_other(deep: int = 24, wide: int = 4) -> bytes:
    """Each form draws the next some times: the page has `wide ** deep` letters."""
    last = b"BT /A 9 Tf 10 10 Td (x) Tj ET"
    return pdf_forms([b"/F%d Do " % (number + 1) * wide for number in range(deep)] + [last])


def packed_twice(size: int = 2**31) -> bytes:
    """Zeros in gzip in gzip: a few kilobytes of the kind that ratios of one layer pass."""
    inner = io.BytesIO()
    with gzip.GzipFile(fileobj=inner, mode="wb", compresslevel=9) as file:
        for _ in range(size // 2**24):
            file.write(bytes(2**24))
    return gzip.compress(inner.getvalue())


def blank_csv(rows: int = 1_500_000) -> bytes:
    return b" ; ; ; ; ; \n" * rows


def many_tables(count: int = 300_000) -> bytes:
    return b"<html><body>" + b"<table><tr><td>1<td>2<tr><td>3<td>4</table>" * count


def many_attributes(count: int = 1_000_000) -> bytes:
    said = b" ".join(b"a%d=1" % number for number in range(count))
    return b"<html><body><table><tr><td %s>1</td><td>2</td></tr></table>" % said


def deep_page(depth: int = 200_000) -> bytes:
    return b"<html><body>" + b"<div>" * depth + b"x" + b"</div>" * depth


def workbook_with_format(code: str) -> bytes:
    """A workbook of one number in a format of its own."""
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument'
        '.spreadsheetml.sheet.main+xml"/></Types>',
        "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"'
        ' Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
        'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>'
        '<sheet name="A" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/'
        'relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
        'relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="http://schemas.'
        'openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>',
        "xl/styles.xml": '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><numFmts>'
        f'<numFmt numFmtId="200" formatCode="{code}"/></numFmts><cellXfs><xf numFmtId="0"/>'
        '<xf numFmtId="200" applyNumberFormat="1"/></cellXfs></styleSheet>',
        "xl/worksheets/sheet1.xml": '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        "<sheetData>"
        + "".join(f'<row r="{r}"><c r="A{r}" s="1"><v>{r}.5</v></c></row>' for r in range(1, 4))
        + "</sheetData></worksheet>",
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in parts.items():
            packed.writestr(name, text)
    return file.getvalue()
