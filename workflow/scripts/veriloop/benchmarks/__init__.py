"""Benchmarks: each folder offers `Options` and `Loader(options)`, and its README says where its data is from."""
