"""Rule render_report."""

from pathlib import Path

from veriloop.stages.job import job
from veriloop.stages.render import render

if __name__ == "__main__":
    with job(snakemake.log[0]):
        render(
            config=Path(snakemake.params.config),
            scores=[Path(p) for p in snakemake.input.scores],
            cards=[Path(p) for p in snakemake.input.cards],
            flags=Path(snakemake.input.flags),
            toolchain=next((Path(p) for p in snakemake.input.toolchain), None),
            tables=[Path(p) for p in snakemake.input.tables],
            figures=[Path(p) for p in snakemake.input.figures],
            attempts=[Path(p) for p in snakemake.input.attempts],
            output=Path(snakemake.output.page),
        )
