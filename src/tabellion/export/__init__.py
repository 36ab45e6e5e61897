"""Tables in the forms that programs and people expect: JSON, CSV, Markdown, HTML, frames. Start with `to_json`.

JSON is what is asked for most; the other forms are imported when they are wanted.
"""

from tabellion.export.json import error_json, json_pieces, to_json

__all__ = ["error_json", "json_pieces", "to_json"]
