"""Memories: each module hands one attempt's findings to the next in its own way.

It offers `make(context)` and `NEEDS_CHAT`, whether a language model writes for it.
"""
