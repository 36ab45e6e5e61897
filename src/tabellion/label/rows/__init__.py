"""The role of every row of a sheet: features and labels. Start with `labels`."""
