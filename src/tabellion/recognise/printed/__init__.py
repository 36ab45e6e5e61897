"""Printed regions to grids: columns, rows, phrases and spans. Start with `grid`."""
