"""Rule render_attempts."""

from pathlib import Path

from veriloop.stages.job import job
from veriloop.stages.render import render_attempts

if __name__ == "__main__":
    with job(snakemake.log[0]):
        render_attempts(
            config=Path(snakemake.params.config),
            scores=Path(snakemake.input.scores),
            tasks=Path(snakemake.input.tasks),
            index=Path(snakemake.params.index),
            journals=Path(snakemake.params.journals),
            output=Path(snakemake.output.page),
            pages=Path(snakemake.output.pages),
        )
