# The mirror for the MLflow UI. The database is shared by all experiments, so it is no output of the rule:
# Snakemake would delete it before each run.


rule track_experiment:
    input:
        rates="results/estimate/{experiment}/rates.csv",
        by_seed="results/estimate/{experiment}/by_seed.csv",
        provenance="results/tables/{experiment}/rates.provenance.json",
        tables=PLAN.tables(),
        figures=PLAN.figures(),
        attempts=PLAN.attempt_pages(),
    output:
        runs="results/track/{experiment}.json",
    log:
        "logs/track_experiment/{experiment}.log",
    conda:
        "../../envs/report.yaml"
    params:
        config=f"results/config/{PLAN.name}.yaml",
        database="results/mlflow.db",
        artifacts="results/mlartifacts",
        depends=depends("track"),
    message:
        "Mirroring {wildcards.experiment} into results/mlflow.db"
    script:
        "../scripts/track_experiment.py"
