"""One function per rule, which puts the parts together; what a script calls."""
