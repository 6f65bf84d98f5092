"""Rule run_loop."""

from pathlib import Path

from veriloop.stages.job import job
from veriloop.stages.run import run

if __name__ == "__main__":
    with job(snakemake.log[0]):
        run(
            config=Path(snakemake.params.config),
            tasks=Path(snakemake.input.tasks),
            answers=Path(snakemake.input.answers),
            toolchain=Path(snakemake.input.toolchain),
            benchmark=snakemake.wildcards.benchmark,
            arm=snakemake.wildcards.arm,
            model=snakemake.wildcards.model,
            seed=int(snakemake.wildcards.seed),
            shard=int(snakemake.wildcards.shard),
            threads=snakemake.threads,
            output=Path(snakemake.output.journal),
        )
