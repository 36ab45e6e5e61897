"""What a text says: numbers, dates, units, note marks, missing marks. Start with `read_texts`."""

from tabellion.values.texts import Saying, is_missing_mark, read_text, read_texts, split_marks

__all__ = ["Saying", "is_missing_mark", "read_text", "read_texts", "split_marks"]
