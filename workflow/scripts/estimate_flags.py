"""Rule estimate_flags."""

from pathlib import Path

from veriloop.stages.flag import flag
from veriloop.stages.job import job

if __name__ == "__main__":
    with job(snakemake.log[0]):
        flag(
            config=Path(snakemake.params.config),
            scores=[Path(p) for p in snakemake.input.scores],
            tasks=[Path(p) for p in snakemake.input.tasks],
            toolchain=next((Path(p) for p in snakemake.input.toolchain), None),
            flags=Path(snakemake.output.flags),
            curation=Path(snakemake.output.curation),
        )
