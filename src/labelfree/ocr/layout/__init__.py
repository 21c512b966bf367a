"""From the picture of a page to its text lines, straightened and in reading order."""
