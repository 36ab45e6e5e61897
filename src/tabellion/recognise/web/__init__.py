"""Tables of web pages to grids. `table` enters."""
