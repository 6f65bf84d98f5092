"""Rule tabulate_details."""

from pathlib import Path

from veriloop.stages.job import job
from veriloop.stages.tabulate import tabulate_details

if __name__ == "__main__":
    with job(snakemake.log[0]):
        tabulate_details(
            table=snakemake.wildcards.table,
            rows=Path(snakemake.input.rows),
            csv=Path(snakemake.output.csv),
            markdown=Path(snakemake.output.markdown),
            latex=Path(snakemake.output.latex),
        )
