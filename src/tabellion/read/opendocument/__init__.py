"""OpenDocument spreadsheets (`.ods`, `.fods`). `ods.read_ods` enters."""
