"""What a text says: numbers, dates, units, note marks, missing marks. Start with `read_texts`."""

from tabellion.values.marks import is_missing_mark, split_marks
from tabellion.values.texts import Saying, read_text, read_texts

__all__ = ["Saying", "is_missing_mark", "read_text", "read_texts", "split_marks"]
