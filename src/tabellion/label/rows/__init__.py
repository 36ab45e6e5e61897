"""The role of every row of a sheet: features and labels. `labels` enters."""
