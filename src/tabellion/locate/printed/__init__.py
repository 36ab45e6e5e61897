"""Tables on the printed pages of a PDF. `regions` enters."""
