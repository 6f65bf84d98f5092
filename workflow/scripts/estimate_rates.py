"""Rule estimate_rates."""

from pathlib import Path

from veriloop.stages.estimate import estimate
from veriloop.stages.job import job

if __name__ == "__main__":
    with job(snakemake.log[0]):
        estimate(
            config=Path(snakemake.params.config),
            scores=[Path(p) for p in snakemake.input.scores],
            cards=[Path(p) for p in snakemake.input.cards],
            flags=Path(snakemake.input.flags),
            rates=Path(snakemake.output.rates),
            by_seed=Path(snakemake.output.by_seed),
            by_attempt=Path(snakemake.output.by_attempt),
        )
