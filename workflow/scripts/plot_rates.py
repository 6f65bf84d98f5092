"""Rule plot_rates."""

from pathlib import Path

from veriloop.stages.job import job
from veriloop.stages.plot import plot

if __name__ == "__main__":
    with job(snakemake.log[0]):
        plot(
            figure="rates",
            data=Path(snakemake.input.rates),
            experiment=snakemake.wildcards.experiment,
            pdf=Path(snakemake.output.pdf),
            png=Path(snakemake.output.png),
            csv=Path(snakemake.output.csv),
        )
