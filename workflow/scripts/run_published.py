"""Rule run_published."""

from pathlib import Path

from veriloop.stages.job import job
from veriloop.stages.published import published

if __name__ == "__main__":
    with job(snakemake.log[0]):
        published(
            tasks=Path(snakemake.input.tasks),
            model=snakemake.wildcards.model,
            output=Path(snakemake.output.journal),
        )
