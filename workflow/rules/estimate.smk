# Rates and their intervals.


rule estimate_rates:
    input:
        scores=PLAN.scores(),
        cards=PLAN.cards(),
    output:
        rates="results/estimate/{experiment}/rates.csv",
        by_seed="results/estimate/{experiment}/by_seed.csv",
        by_attempt="results/estimate/{experiment}/by_attempt.csv",
    log:
        "logs/estimate_rates/{experiment}.log",
    conda:
        "../../envs/stats.yaml"
    params:
        config=f"results/config/{PLAN.name}.yaml",
        depends=depends("estimate"),
    message:
        "Estimating the rates of {wildcards.experiment}"
    script:
        "../scripts/estimate_rates.py"


rule estimate_breakdown:
    input:
        scores=PLAN.scores(),
        tasks=PLAN.task_lists(),
        cards=PLAN.cards(),
    output:
        conditional="results/estimate/{experiment}/conditional.csv",
        strata="results/estimate/{experiment}/strata.csv",
        outcomes="results/estimate/{experiment}/outcomes.csv",
        benchmark="results/estimate/{experiment}/benchmark.csv",
    log:
        "logs/estimate_breakdown/{experiment}.log",
    conda:
        "../../envs/stats.yaml"
    params:
        config=f"results/config/{PLAN.name}.yaml",
        depends=depends("breakdown"),
    message:
        "Breaking down the rates of {wildcards.experiment}"
    script:
        "../scripts/estimate_breakdown.py"
