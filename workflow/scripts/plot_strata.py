"""Rule plot_strata."""

from pathlib import Path

from veriloop.stages.job import job
from veriloop.stages.plot import plot_by_size

if __name__ == "__main__":
    with job(snakemake.log[0]):
        plot_by_size(
            strata=Path(snakemake.input.strata),
            experiment=snakemake.wildcards.experiment,
            pdf=Path(snakemake.output.pdf),
            png=Path(snakemake.output.png),
            csv=Path(snakemake.output.csv),
        )
