"""Which tables of a web page's markup hold data. Start with `genuine`."""
