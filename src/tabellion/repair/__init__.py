"""Repair: what people say of tables, and readings in which it holds.

Operations (`model.correction`) are anchored to their place and words, resolved into what is in force (`standing`),
carried over to the edition at hand (`reanchor`), turned into constraints (`constraints`) and read with (`workpiece`).
`replay` enters the room. Nothing here knows of the library, which keeps the log.
"""
