"""Web pages from their markup: tables, looks, declared headers, saved pages. Start with `page`."""
