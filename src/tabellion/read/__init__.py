"""Bytes to a `Document`: one module a format, chosen by content. `read_document` enters the room."""
