"""Proposers: each module offers `Options`, `NEEDS_GROUND_TRUTH`, `make(options, context)` and `answers_of(options)`.

Adding a model file under config/model/ needs no code; adding a new way to propose is adding a module here.
"""
