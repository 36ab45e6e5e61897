"""Which header stands under which. `nest_headers` enters the room."""
