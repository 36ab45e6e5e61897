"""What commands draw for people: sheets, header trees, stages, pages, in the colours of the palette."""
