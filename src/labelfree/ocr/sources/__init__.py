"""Files that people have: images, PDF, PAGE XML and ALTO."""
