"""Printed regions to grids: columns, rows, phrases and spans. `grid` enters."""
