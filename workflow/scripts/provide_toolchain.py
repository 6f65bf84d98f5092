"""Rule provide_toolchain."""

from pathlib import Path

from veriloop.stages.job import job
from veriloop.stages.provide import provide

if __name__ == "__main__":
    with job(snakemake.log[0]):
        provide(
            config=Path(snakemake.params.config),
            output=Path(snakemake.output.record),
        )
