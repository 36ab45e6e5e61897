"""Which tables can be joined with a given one, and on what.

Start with `partners.find_partners`. Labels are brought to one form and each table is drawn as a small sketch that the
search index keeps (`sketch`). Tables that share labels are looked up there (`partners`) and ranked (`likeness`), and
the SQL that does the join is written out.
"""
