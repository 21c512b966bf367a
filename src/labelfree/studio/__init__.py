"""The studio: what was read, put right by a person in a browser on the same machine; the least sure lines first."""
