"""Rule provide_endpoint."""

from pathlib import Path

from veriloop.stages.endpoint import endpoint
from veriloop.stages.job import job

if __name__ == "__main__":
    with job(snakemake.log[0]):
        endpoint(
            config=Path(snakemake.params.config),
            tasks=[Path(p) for p in snakemake.input.tasks],
            model=snakemake.wildcards.model,
            output=Path(snakemake.output.record),
        )
