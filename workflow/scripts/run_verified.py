"""Rule run_verified."""

from pathlib import Path

from veriloop.stages.job import job
from veriloop.stages.verified import verified

if __name__ == "__main__":
    with job(snakemake.log[0]):
        verified(
            config=Path(snakemake.params.config),
            tasks=Path(snakemake.input.tasks),
            answers=Path(snakemake.input.answers),
            toolchain=Path(snakemake.input.toolchain),
            benchmark=snakemake.wildcards.benchmark,
            model=snakemake.wildcards.model,
            shard=int(snakemake.wildcards.shard),
            output=Path(snakemake.output.journal),
        )
