"""Which cells of an old workbook hold formulas, and which of those sum or average others.

In: formula records of a sheet in file order; out: marks by cell. A formula is kept in the file as tokens in postfix
order; they are walked by their sizes, and nothing is computed. A formula with a token of unknown size is a formula
like any other, but never an aggregate.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from struct import Struct, unpack_from
from struct import error as StructError  # noqa: N812

from xlrd.formula import szdict

from tabellion.model.document import Mark

_SHARED = 0x04BC
_PLACE = Struct("<HH")
_EXPRESSION, _ADD, _DIVIDE, _PAREN, _TEXT, _ATTRIBUTE, _WHOLE = 0x01, 0x03, 0x06, 0x15, 0x17, 0x19, 0x1E
_FIXED_FUNCTION, _FUNCTION, _REFERENCES = 0x21, 0x22, frozenset((0x24, 0x2C, 0x3A))
_SUM_FLAG, _CHOOSE_FLAG = 0x10, 0x04
# COUNT SUM AVERAGE COUNTA SUMPRODUCT SUBTOTAL SUMIF COUNTIF AVERAGEA
_AGGREGATES = frozenset((0, 4, 5, 169, 228, 344, 345, 346, 361))


def formula_marks(records: Iterable[tuple[int, bytes]], version: int) -> dict[tuple[int, int], Mark]:
    """The marks of each cell that holds a formula; `version` is xlrd's number of the BIFF version."""
    marks: dict[tuple[int, int], Mark] = {}
    shared: dict[tuple[int, int], Mark] = {}
    waiting: list[tuple[tuple[int, int], tuple[int, int]]] = []
    last = (0, 0)
    for code, data in records:
        try:
            if code == _SHARED:
                shared[last] = _mark(_tokens(data, 8), version)
                continue
            last = row, column = _PLACE.unpack_from(data)
            tokens = _formula_tokens(data, version)
        except StructError:
            continue
        marks[row, column] = Mark.FORMULA
        if tokens[:1] == b"\x01" and len(tokens) >= 5:
            first_row, first_column = _PLACE.unpack_from(tokens, 1)
            waiting.append(((row, column), (first_row, first_column)))
        else:
            marks[row, column] = _mark(tokens, version)
    for cell, first in waiting:
        marks[cell] = shared.get(first, Mark.FORMULA)
    return marks


def _formula_tokens(data: bytes, version: int) -> bytes:
    """The tokens of a formula record: what stands before them differs by version."""
    if version < 30:
        length = data[16] if len(data) > 16 else 0
        return data[17 : 17 + length]
    return _tokens(data, 20 if version >= 50 else 16)


def _tokens(data: bytes, at: int) -> bytes:
    (length,) = unpack_from("<H", data, at)
    return data[at + 2 : at + 2 + length]


def _mark(tokens: bytes, version: int) -> Mark:
    sums, additions = False, 0
    only_additions = True
    before = 0
    for token, data in _walk(tokens, version):
        if token < 0:
            return Mark.FORMULA
        if token == _ATTRIBUTE and data[1] & _SUM_FLAG:
            sums = True
        elif token == _FUNCTION and len(data) >= 3:
            number = data[2] if version < 40 else int.from_bytes(data[2:4], "little") & 0x7FFF
            sums = sums or number in _AGGREGATES
            only_additions = False
        elif token == _FIXED_FUNCTION and len(data) >= 2:
            number = data[1] if version < 40 else int.from_bytes(data[1:3], "little")
            sums = sums or number in _AGGREGATES
            only_additions = False
        elif token == _ADD:
            additions += 1
        elif token == _DIVIDE:
            only_additions = only_additions and before == _WHOLE
        elif token not in _REFERENCES and token not in (_PAREN, _ATTRIBUTE, _WHOLE):
            only_additions = False
        before = token
    aggregate = sums or (additions > 0 and only_additions)
    return Mark.FORMULA | Mark.AGGREGATE if aggregate else Mark.FORMULA


def _walk(tokens: bytes, version: int) -> Iterator[tuple[int, bytes]]:
    """Each token without its class, and its bytes; -1 where one is of unknown size."""
    sizes = szdict[version]
    wide = 1 if version >= 80 else 0
    at = 0
    while at < len(tokens):
        opcode = tokens[at]
        token = opcode if opcode < 0x20 else (opcode & 0x1F) | 0x20
        size = sizes[token & 0x3F]
        if token == _TEXT and at + 1 < len(tokens):
            letters = tokens[at + 1]
            size = 2 + letters
            if wide and at + 2 < len(tokens):
                size = 3 + letters * (2 if tokens[at + 2] & 1 else 1)
        elif token == _ATTRIBUTE and at + 1 < len(tokens):
            size = 4 if version >= 30 else 3
            if tokens[at + 1] & _CHOOSE_FLAG:
                (cases,) = unpack_from("<H", tokens, at + 2)
                size += 2 * (cases + 1)
        if size <= 0:
            yield -1, b""
            return
        yield token, tokens[at : at + size]
        at += size
