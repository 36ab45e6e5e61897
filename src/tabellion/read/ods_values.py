"""What an OpenDocument cell holds by its value type: numbers, percentages, dates, times, truths, errors, text."""

from __future__ import annotations

import re
from datetime import datetime

from tabellion.model.document import Stored
from tabellion.read.number_format import Shown, date_text, number_text, percent_text, understand_format
from tabellion.read.ods_names import CALC_NAME, OFFICE_NAME

_TYPE, _VALUE = OFFICE_NAME + "value-type", OFFICE_NAME + "value"
_CALC_TYPE = CALC_NAME + "value-type"
_DATE, _TIME = OFFICE_NAME + "date-value", OFFICE_NAME + "time-value"
_BOOLEAN, _STRING = OFFICE_NAME + "boolean-value", OFFICE_NAME + "string-value"
_DURATION = re.compile(r"(-)?P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:[.,]\d+)?)S)?)?")
_EPOCH = datetime(1899, 12, 30)
_NAN = float("nan")
_AS_NUMBER, _AS_DATE, _AS_TEXT = int(Stored.NUMBER), int(Stored.DATE), int(Stored.TEXT)
_AS_BOOLEAN, _AS_ERROR, _EMPTY = int(Stored.BOOLEAN), int(Stored.ERROR), int(Stored.EMPTY)


def typed_value(attributes: dict[str, str], text: str, code: str | None) -> tuple[int, float, str]:
    """How a value is stored, its number, and its text; one that cannot be understood is text as it stands."""
    kind = attributes.get(_TYPE)
    if kind is None or kind == "string":
        if attributes.get(_CALC_TYPE) == "error":
            return _AS_ERROR, _NAN, text or "#ERROR!"
        text = text or attributes.get(_STRING, "")
        return (_EMPTY if not text or text.isspace() else _AS_TEXT), _NAN, text
    try:
        return _by_kind(kind, attributes, text, code)
    except (ValueError, KeyError, OverflowError):
        return (_EMPTY if not text or text.isspace() else _AS_TEXT), _NAN, text


def _by_kind(kind: str, attributes: dict[str, str], text: str, code: str | None) -> tuple[int, float, str]:
    match kind:
        case "float" | "currency":
            number = float(attributes[_VALUE])
            return _AS_NUMBER, number, number_text(number)
        case "percentage":
            number = float(attributes[_VALUE])
            form = understand_format(code)
            shown = percent_text(number, form.places) if form.shown is Shown.PERCENT else text
            return _AS_NUMBER, number, shown or number_text(number)
        case "date":
            moment = datetime.fromisoformat(attributes[_DATE].removesuffix("Z"))
            serial = (moment.replace(tzinfo=None) - _EPOCH).total_seconds() / 86400
            return _AS_DATE, serial, date_text(serial, Shown.DATE)
        case "time":
            serial = _days(attributes[_TIME])
            return _AS_DATE, serial, date_text(serial, Shown.TIME)
        case "boolean":
            return _AS_BOOLEAN, _NAN, "TRUE" if attributes[_BOOLEAN] == "true" else "FALSE"
        case _:
            raise ValueError(f"an unknown value type: {kind}")


def _days(duration: str) -> float:
    """A duration such as `PT12H30M00S` in days."""
    match = _DURATION.fullmatch(duration)
    if match is None or not any(match.groups()[1:]):
        raise ValueError(f"not a duration: {duration!r}")
    days, hours, minutes = (int(part or 0) for part in match.groups()[1:4])
    seconds = float((match[5] or "0").replace(",", "."))
    total = days + (hours * 3600 + minutes * 60 + seconds) / 86400
    return -total if match[1] else total
