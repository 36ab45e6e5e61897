"""Tables in the forms that programs and people expect: JSON, CSV, Markdown, HTML, frames. Start with `to_json`."""

from tabellion.export.csv import csv_head, to_csv
from tabellion.export.html import to_markdown
from tabellion.export.json import error_json, json_pieces, to_json

__all__ = ["csv_head", "error_json", "json_pieces", "to_csv", "to_json", "to_markdown"]
