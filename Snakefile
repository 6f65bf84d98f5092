# The table of contents: what is planned is decided in veriloop.stages.plan, what is done in workflow/rules.
from snakemake.utils import min_version

min_version("9.27")


include: "workflow/rules/common.smk"
include: "workflow/rules/provide.smk"
include: "workflow/rules/curate.smk"
include: "workflow/rules/run.smk"
include: "workflow/rules/score.smk"
include: "workflow/rules/estimate.smk"
include: "workflow/rules/compare.smk"
include: "workflow/rules/tabulate.smk"
include: "workflow/rules/plot.smk"
include: "workflow/rules/render.smk"
include: "workflow/rules/track.smk"
include: "workflow/rules/check.smk"


rule all:
    default_target: True
    input:
        PLAN.targets(),


onstart:
    if cost := cost_text(PLAN):
        print(cost)


onsuccess:
    print(headline(PLAN))
