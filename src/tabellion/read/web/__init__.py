"""Web pages from their markup: tables, looks, stated headers, saved pages. Start with `page`."""
