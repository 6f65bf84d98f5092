"""Memories: each module hands one attempt's findings to the next in its own way, and offers `make()`."""
