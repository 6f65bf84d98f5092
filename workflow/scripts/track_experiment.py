"""Rule track_experiment."""

from pathlib import Path

from veriloop.stages.job import job
from veriloop.stages.track import track

if __name__ == "__main__":
    with job(snakemake.log[0]):
        track(
            config=Path(snakemake.params.config),
            rates=Path(snakemake.input.rates),
            by_seed=Path(snakemake.input.by_seed),
            provenance=Path(snakemake.input.provenance),
            tables=[Path(p) for p in snakemake.input.tables],
            figures=[Path(p) for p in snakemake.input.figures],
            attempts=[Path(p) for p in snakemake.input.attempts],
            database=Path(snakemake.params.database),
            artifacts=Path(snakemake.params.artifacts),
            output=Path(snakemake.output.runs),
        )
