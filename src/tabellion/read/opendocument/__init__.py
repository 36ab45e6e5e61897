"""OpenDocument spreadsheets (`.ods`, `.fods`). Start with `ods.read_ods`."""
