"""Rule compare_cells."""

from pathlib import Path

from veriloop.stages.compare import compare
from veriloop.stages.job import job

if __name__ == "__main__":
    with job(snakemake.log[0]):
        compare(
            config=Path(snakemake.params.config),
            scores=[Path(p) for p in snakemake.input.scores],
            flags=Path(snakemake.input.flags),
            comparison=Path(snakemake.output.comparison),
            against_control=Path(snakemake.output.against_control),
        )
