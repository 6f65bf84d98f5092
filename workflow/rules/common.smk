# The plan of the experiment, made while parsing: what is wrong with an experiment stops it here.
from snakemake.exceptions import WorkflowError

from veriloop.errors import UserError
from veriloop.stages.cost import cost_text
from veriloop.stages.headline import headline
from veriloop.stages.plan import make_plan


def open_plan(settings):
    """The plan for --config, or a sentence on what is wrong with it."""
    try:
        plan = make_plan(settings)
        plan.write_config()
    except UserError as error:
        raise WorkflowError(str(error)) from None
    return plan


PLAN = open_plan(config)


wildcard_constraints:
    experiment=PLAN.wildcards()["experiment"],
    benchmark=PLAN.wildcards()["benchmark"],
    arm=PLAN.wildcards()["arm"],
    model=PLAN.wildcards()["model"],
    seed=r"\d+",
    shard=r"\d+",


def depends(stage, *names):
    """A function of wildcards that gives the content hash which decides what runs again."""
    return lambda wildcards: PLAN.depends(
        stage, **{name: wildcards[name] for name in names}
    )
