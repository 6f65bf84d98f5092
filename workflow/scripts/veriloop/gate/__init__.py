"""Gates: each module decides what an answer may change, and offers `Options` and `make(options)`."""
