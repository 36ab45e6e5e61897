"""A region to a `Grid` of styled cells with spans. `recognise_grid` enters the room."""
