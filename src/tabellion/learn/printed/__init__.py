"""Learning from printed pages: where tables are, their structure and headers; specimens to learn from."""
