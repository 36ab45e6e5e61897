"""Where tables may be on a page. `locate_regions` enters the room."""
