"""Rule score_tasks."""

from pathlib import Path

from veriloop.stages.job import job
from veriloop.stages.score import score

if __name__ == "__main__":
    with job(snakemake.log[0]):
        score(
            tasks=Path(snakemake.input.tasks),
            journals=[Path(p) for p in snakemake.input.journals],
            benchmark=snakemake.wildcards.benchmark,
            arm=snakemake.wildcards.arm,
            model=snakemake.wildcards.model,
            seeds=snakemake.params.seeds,
            output=Path(snakemake.output.scores),
        )
