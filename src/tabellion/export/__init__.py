"""Tables in the forms that programs and people expect: JSON, CSV, Markdown, HTML, frames. `to_json` enters the room."""

from tabellion.export.csv import csv_head, to_csv
from tabellion.export.json import error_json, json_pieces, to_json
from tabellion.export.markdown import to_markdown

__all__ = ["csv_head", "error_json", "json_pieces", "to_csv", "to_json", "to_markdown"]
