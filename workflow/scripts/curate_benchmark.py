"""Rule curate_benchmark."""

from pathlib import Path

from veriloop.stages.curate import curate
from veriloop.stages.job import job

if __name__ == "__main__":
    with job(snakemake.log[0]):
        curate(
            config=Path(snakemake.params.config),
            benchmark=snakemake.wildcards.benchmark,
            tasks=Path(snakemake.output.tasks),
            answers=Path(snakemake.output.answers),
            card=Path(snakemake.output.card),
        )
