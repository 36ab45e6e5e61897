"""Learning from spreadsheets: rows, edges, columns, parents, confidence."""
