"""Rule tabulate_rates."""

from pathlib import Path

from veriloop.stages.job import job
from veriloop.stages.tabulate import Written, tabulate_rates

if __name__ == "__main__":
    with job(snakemake.log[0]):
        tabulate_rates(
            config=Path(snakemake.params.config),
            rates=Path(snakemake.input.rates),
            cards=[Path(p) for p in snakemake.input.cards],
            toolchain=next((Path(p) for p in snakemake.input.toolchain), None),
            to=Written(
                csv=Path(snakemake.output.csv),
                markdown=Path(snakemake.output.markdown),
                latex=Path(snakemake.output.latex),
                provenance=Path(snakemake.output.provenance),
            ),
        )
