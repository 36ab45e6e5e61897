"""What a text says: numbers, dates, units, note marks, missing marks. `read_texts` enters the room."""

from tabellion.values.marks import split_marks
from tabellion.values.missing import is_missing_mark
from tabellion.values.saying import Saying, read_text, read_texts

__all__ = ["Saying", "is_missing_mark", "read_text", "read_texts", "split_marks"]
