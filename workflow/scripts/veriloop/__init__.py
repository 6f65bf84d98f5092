"""veriloop: a reproducible experiment workflow for verified code generation.

Everything that thinks is in this package; nothing in it knows Snakemake. CONTRIBUTING.md draws its layers.
"""
