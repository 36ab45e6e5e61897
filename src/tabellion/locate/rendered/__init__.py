"""Tables among the boxes of a rendered page. Start with `regions`."""
