"""What a script looks like and how it is typeset."""
