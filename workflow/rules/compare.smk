# Paired differences between models and between arms.


rule compare_cells:
    input:
        scores=PLAN.scores(),
        flags="results/estimate/{experiment}/flags.csv",
    output:
        comparison="results/estimate/{experiment}/comparison.csv",
        against_control="results/estimate/{experiment}/against_control.csv",
    log:
        "logs/compare_cells/{experiment}.log",
    conda:
        "../../envs/stats.yaml"
    params:
        config=f"results/config/{PLAN.name}.yaml",
        depends=depends("compare"),
    message:
        "Comparing the models and arms of {wildcards.experiment}"
    script:
        "../scripts/compare_cells.py"
