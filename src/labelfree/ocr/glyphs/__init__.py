"""Pictures of single characters: tiles, their features and clusters, and what all typefaces of a script share."""
