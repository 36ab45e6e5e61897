"""Excel workbooks: `.xlsx` and `.xlsm`, `.xls`, `.xlsb`, and Excel 2003 XML. One module per format."""
