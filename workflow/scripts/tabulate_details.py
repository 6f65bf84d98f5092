"""Rule tabulate_details."""

from pathlib import Path

from veriloop.stages.job import job
from veriloop.stages.tabulate import Written, tabulate_details

if __name__ == "__main__":
    with job(snakemake.log[0]):
        tabulate_details(
            table=snakemake.wildcards.table,
            config=Path(snakemake.params.config),
            rows=Path(snakemake.input.rows),
            cards=[Path(p) for p in snakemake.input.cards],
            toolchain=next((Path(p) for p in snakemake.input.toolchain), None),
            to=Written(
                csv=Path(snakemake.output.csv),
                markdown=Path(snakemake.output.markdown),
                latex=Path(snakemake.output.latex),
                provenance=Path(snakemake.output.provenance),
            ),
        )
