"""Tables in the forms that programs and people expect: JSON, CSV, Markdown, HTML, frames. Start with `to_json`."""

from tabellion.export.csv import csv_head, to_csv
from tabellion.export.json import error_json, json_pieces, to_json
from tabellion.export.markdown import to_markdown

__all__ = ["csv_head", "error_json", "json_pieces", "to_csv", "to_json", "to_markdown"]
