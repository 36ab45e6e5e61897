"""How every weight file is made and measured, from the labelled corpora."""
