# What is wrong with tasks, rates with their intervals, and what gates leave of published rates.


rule estimate_flags:
    input:
        scores=PLAN.scores(),
        tasks=PLAN.task_lists(),
        toolchain=PLAN.toolchain_record(),
    output:
        flags="results/estimate/{experiment}/flags.csv",
        curation="results/estimate/{experiment}/curation.csv",
    log:
        "logs/estimate_flags/{experiment}.log",
    conda:
        "../../envs/stats.yaml"
    params:
        config=f"results/config/{PLAN.name}.yaml",
        depends=depends("flag"),
    message:
        "Gathering what is wrong with the tasks of {wildcards.experiment}"
    script:
        "../scripts/estimate_flags.py"


rule estimate_rates:
    input:
        scores=PLAN.scores(),
        cards=PLAN.cards(),
        flags="results/estimate/{experiment}/flags.csv",
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
        flags="results/estimate/{experiment}/flags.csv",
    output:
        conditional="results/estimate/{experiment}/conditional.csv",
        strata="results/estimate/{experiment}/strata.csv",
        outcomes="results/estimate/{experiment}/outcomes.csv",
        ends="results/estimate/{experiment}/ends.csv",
        benchmark="results/estimate/{experiment}/benchmark.csv",
        cost="results/estimate/{experiment}/cost.csv",
        disagreements="results/estimate/{experiment}/disagreements.csv",
        pass_at_k="results/estimate/{experiment}/pass_at_k.csv",
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


rule estimate_audit:
    input:
        scores=PLAN.audited_scores(),
        journals=PLAN.audited_journals(),
        tasks=PLAN.task_lists(),
        cards=PLAN.cards(),
        flags="results/estimate/{experiment}/flags.csv",
    output:
        audit="results/estimate/{experiment}/audit.csv",
        violations="results/estimate/{experiment}/violations.csv",
        sides="results/estimate/{experiment}/sides.csv",
    log:
        "logs/estimate_audit/{experiment}.log",
    conda:
        "../../envs/stats.yaml"
    params:
        config=f"results/config/{PLAN.name}.yaml",
        depends=depends("audit"),
    message:
        "Estimating what the gates of {wildcards.experiment} leave of the published rates"
    script:
        "../scripts/estimate_audit.py"
