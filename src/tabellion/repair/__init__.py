"""Repair: what people say of tables, and readings in which it holds.

Operations (`model.correction`) are anchored to their place and words, carried over to the edition at hand (`editions`),
resolved into what is in force (`replay`), turned into constraints (`constraints`) and read with (`rereading`).
Start with `replay`. Nothing here knows of the library, which keeps the log.
"""
