"""Rule estimate_audit."""

from pathlib import Path

from veriloop.stages.audit import audit
from veriloop.stages.job import job

if __name__ == "__main__":
    with job(snakemake.log[0]):
        audit(
            config=Path(snakemake.params.config),
            scores=[Path(p) for p in snakemake.input.scores],
            journals=[Path(p) for p in snakemake.input.journals],
            tasks=[Path(p) for p in snakemake.input.tasks],
            cards=[Path(p) for p in snakemake.input.cards],
            flags=Path(snakemake.input.flags),
            audit_rows=Path(snakemake.output.audit),
            violations=Path(snakemake.output.violations),
            sides=Path(snakemake.output.sides),
        )
