"""Reports: what was read, learned or deciphered, and how far to believe it, as one HTML file that stands alone."""
