"""Everything that knows Dafny: its programs, its command line, its messages, and where a copy of it comes from."""
