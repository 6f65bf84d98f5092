"""Rule run_audited."""

from pathlib import Path

from veriloop.stages.audited import audited
from veriloop.stages.job import job

if __name__ == "__main__":
    with job(snakemake.log[0]):
        audited(
            config=Path(snakemake.params.config),
            tasks=Path(snakemake.input.tasks),
            answers=Path(snakemake.input.answers),
            verified=[Path(p) for p in snakemake.input.verified],
            arm=snakemake.wildcards.arm,
            model=snakemake.wildcards.model,
            output=Path(snakemake.output.journal),
        )
