"""Rule tabulate_differences."""

from pathlib import Path

from veriloop.stages.job import job
from veriloop.stages.tabulate import Written, tabulate_differences

if __name__ == "__main__":
    with job(snakemake.log[0]):
        tabulate_differences(
            config=Path(snakemake.params.config),
            scores=[Path(p) for p in snakemake.input.scores],
            tasks=[Path(p) for p in snakemake.input.tasks],
            cards=[Path(p) for p in snakemake.input.cards],
            toolchain=Path(snakemake.input.toolchain[0]),
            to=Written(
                csv=Path(snakemake.output.csv),
                markdown=Path(snakemake.output.markdown),
                latex=Path(snakemake.output.latex),
                provenance=Path(snakemake.output.provenance),
            ),
        )
