"""PDF files through PDFium: characters, words, pieces of lines, rulings and pictures. Start with `document`."""
