"""The same table over time: its editions, one relation over all of them, and what changed between two.

`editions.find_series` recognises the editions of a table among all tables of a library; `lining.line_up` says which of
their rows and columns are the same and writes the SQL that gives one relation; `comparing.compare_tables` shows what
changed between any two tables.
"""
