"""Which tables of a web page's markup hold data. `genuine` enters."""
