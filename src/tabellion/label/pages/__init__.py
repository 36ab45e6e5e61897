"""Headers and frames of tables on web pages and in print. Start with `frames`."""
