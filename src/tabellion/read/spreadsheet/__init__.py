"""What the readers of all spreadsheet formats share: sheets, number formats, packages of XML parts."""
