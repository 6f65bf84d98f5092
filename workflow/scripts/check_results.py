"""Rule check_results."""

from pathlib import Path

from veriloop.stages.check import check
from veriloop.stages.job import job

if __name__ == "__main__":
    with job(snakemake.log[0]):
        check(
            experiment=snakemake.wildcards.experiment,
            output=Path(snakemake.output.report),
        )
