"""What a person sees when an experiment is done."""

from __future__ import annotations

from pathlib import Path

from veriloop.stages.plan import Plan


def headline(plan: Plan) -> str:
    """The table of rates, and where everything is; a sentence where the experiment's table was not asked for."""
    table = Path(f"results/tables/{plan.name}/rates.md")
    if not table.is_file():
        return f"{plan.name}: {table} was not made"
    places = {
        "page": plan.page(),
        "tables": f"results/tables/{plan.name}/",
        "figures": f"results/figures/{plan.name}/",
        "attempts": f"results/run/{plan.name}/",
        "MLflow": "make ui",
    }
    lines = [f"  {what:<9} {where}" for what, where in places.items()]
    text = table.read_text(encoding="utf-8")
    return "\n".join([f"\n{plan.name}: {plan.experiment.description}\n", text, *lines, ""])
