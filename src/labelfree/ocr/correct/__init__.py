"""A reading corrected by the language: forms of a symbol, words, figures and punctuation of the whole book at once."""
