"""Rule estimate_breakdown."""

from pathlib import Path

from veriloop.stages.breakdown import breakdown
from veriloop.stages.job import job

if __name__ == "__main__":
    with job(snakemake.log[0]):
        breakdown(
            config=Path(snakemake.params.config),
            scores=[Path(p) for p in snakemake.input.scores],
            tasks=[Path(p) for p in snakemake.input.tasks],
            cards=[Path(p) for p in snakemake.input.cards],
            flags=Path(snakemake.input.flags),
            conditional=Path(snakemake.output.conditional),
            strata=Path(snakemake.output.strata),
            outcomes=Path(snakemake.output.outcomes),
            ends=Path(snakemake.output.ends),
            benchmark=Path(snakemake.output.benchmark),
            cost=Path(snakemake.output.cost),
            disagreements=Path(snakemake.output.disagreements),
            passes=Path(snakemake.output.pass_at_k),
        )
