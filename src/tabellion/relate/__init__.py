"""A nested frame to a `Table`: tuples, units, metadata. `relate_table` enters the room."""
