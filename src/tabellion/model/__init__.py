"""The nouns that every stage speaks in: documents, grids, frames, header trees, tables.

Nothing here reads a file or decides anything; a product of one stage is never changed by a later one.
"""
