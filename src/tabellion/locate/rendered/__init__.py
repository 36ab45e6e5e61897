"""Tables among the boxes of a rendered page. `regions` enters."""
