"""Learning from web pages: genuine tables and their headers."""
