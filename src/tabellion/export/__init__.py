"""Tables in the forms that programs and people expect: JSON, CSV, Markdown, HTML."""
