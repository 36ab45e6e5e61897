"""Tables on the printed pages of a PDF. Start with `regions`."""
