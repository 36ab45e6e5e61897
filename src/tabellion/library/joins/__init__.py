"""Which tables can be joined with a given one, and on what.

`partners.find_partners` enters the room. Labels are brought to one form (`labels`), each table is drawn as a small
sketch that the search index keeps (`sketch`), tables that share labels are looked up there (`partners`) and ranked
(`likeness`), and the SQL that does the join is written out (`statement`).
"""
