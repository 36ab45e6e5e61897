"""Workbooks of the OOXML family (.xlsx, .xlsm): sheets with typed, styled cells.

In: the bytes of a zip package; out: `Contents`. Own reader over zip and XML because no library gives values, styles
and cached formula results at this speed (bench/read_xlsx.py). Nothing of the document is ever run. Known to leave out:
styles of whole rows and columns, conditional formats, drawings, comments and pivot caches.
"""

from __future__ import annotations

from lxml import etree

from tabellion.errors import MalformedError, UsageError
from tabellion.model.document import Issue, Sheet
from tabellion.model.place import Place
from tabellion.read.contents import Contents
from tabellion.read.limits import Limits, check_count
from tabellion.read.package import Package, Relationship
from tabellion.read.xlsx_cells import Looks, Strings
from tabellion.read.xlsx_names import read_statements, with_statements
from tabellion.read.xlsx_sheet import Workbook, read_sheet
from tabellion.read.xlsx_strings import Text, read_strings
from tabellion.read.xlsx_styles import read_styles

_TRUE = ("1", "true", "on")


def read_xlsx(data: bytes, limits: Limits, sheet: str | None = None) -> Contents:
    """The sheets of a workbook in their order, or the one that is named."""
    return read_workbook(Package(data, limits), limits, sheet)


def read_workbook(package: Package, limits: Limits, sheet: str | None = None) -> Contents:
    """The sheets of an opened package."""
    part = _workbook_part(package)
    root = package.tree(part)
    if root is None:
        raise MalformedError("the workbook part is missing; the file is damaged")
    related = package.relationships(part)
    targets = _sheet_parts(root, related, package)
    check_count(len(targets), limits.sheets, "sheets", "sheets")
    names = tuple(name for name, _, _ in targets)
    if sheet is not None:
        if sheet not in names:
            raise UsageError(f"no sheet named {sheet!r}; the sheets are: {', '.join(names)}")
        targets = [t for t in targets if t[0] == sheet]
    properties = root.find("{*}workbookPr")
    epoch_1904 = properties is not None and properties.get("date1904") in _TRUE
    issues: list[Issue] = []
    styles = read_styles(package, _related(related, "styles", package), _related(related, "theme", package), issues)
    strings = _strings(package, _related(related, "sharedStrings", package))
    workbook = Workbook(package, Looks(styles), Strings(strings), epoch_1904)
    sheets = with_statements(_read_sheets(workbook, targets, issues), read_statements(root))
    title, authors = _document_facts(package)
    issues.extend(Issue("read", note) for note in package.notes)
    return Contents(sheets, names, title, authors, tuple(issues))


def _read_sheets(workbook: Workbook, targets: list[tuple[str, str, bool]], issues: list[Issue]) -> tuple[Sheet, ...]:
    """The sheets; one that is broken is left out, with a word on it, where others can be read."""
    sheets: list[Sheet] = []
    failed: MalformedError | None = None
    for name, target, hidden in targets:
        try:
            sheet, notes = read_sheet(workbook, target, name, hidden)
        except MalformedError as error:
            failed = failed or error
            issues.append(Issue("read", f"the sheet was left out: {error}", Place(sheet=name)))
        else:
            sheets.append(sheet)
            issues.extend(notes)
    if failed and not sheets:
        raise failed
    return tuple(sheets)


def _workbook_part(package: Package) -> str:
    for relationship in package.relationships("").values():
        if relationship.kind == "officeDocument" and relationship.target in package:
            return relationship.target
    for name in ("xl/workbook.xml", "workbook.xml"):
        if name in package:
            return name
    raise MalformedError("the package has no workbook part; the file is damaged or is no workbook")


def _related(related: dict[str, Relationship], kind: str, package: Package) -> str | None:
    """The part of a kind; by its usual name where the relationship is missing."""
    for relationship in related.values():
        if relationship.kind == kind and relationship.target in package:
            return relationship.target
    usual = {"styles": "xl/styles.xml", "sharedStrings": "xl/sharedStrings.xml", "theme": "xl/theme/theme1.xml"}[kind]
    return usual if usual in package else None


def _sheet_parts(
    root: etree._Element, related: dict[str, Relationship], package: Package
) -> list[tuple[str, str, bool]]:
    """Name, part and whether it is hidden, of every worksheet in workbook order; chart sheets are left out."""
    found: list[tuple[str, str, bool]] = []
    for number, element in enumerate(root.iterfind("{*}sheets/{*}sheet"), 1):
        name = element.get("name") or f"Sheet{number}"
        key = next((str(v) for k, v in element.items() if str(k).endswith("}id") or k == "id"), None)
        relationship = related.get(key) if key else None
        if relationship is not None and relationship.kind not in ("worksheet",):
            continue
        part = relationship.target if relationship is not None else f"xl/worksheets/sheet{number}.xml"
        found.append((name, part, element.get("state") in ("hidden", "veryHidden")))
    return found


def _strings(package: Package, part: str | None) -> list[Text]:
    xml = package.xml(part) if part else None
    return read_strings(xml, part) if xml and part else []


def _document_facts(package: Package) -> tuple[str | None, tuple[str, ...]]:
    """Title and authors from the core properties, where they are there and readable."""
    try:
        root = package.tree("docProps/core.xml")
    except MalformedError:
        root = None
    if root is None:
        return None, ()
    title = (root.findtext("{*}title") or "").strip() or None
    creators = (root.findtext("{*}creator") or "").split(";")
    return title, tuple(name.strip() for name in creators if name.strip())
