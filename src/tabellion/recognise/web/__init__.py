"""Tables of web pages to grids. Start with `table`."""
