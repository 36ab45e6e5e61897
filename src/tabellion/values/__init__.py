"""What a text says: numbers, dates, units, note marks, missing marks. `read_texts` enters the room."""

from tabellion.values.saying import Saying, read_texts

__all__ = ["Saying", "read_texts"]
