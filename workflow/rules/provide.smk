# Which verifier this really is.


rule provide_toolchain:
    output:
        record="results/toolchain/{experiment}.json",
    log:
        "logs/provide_toolchain/{experiment}.log",
    conda:
        "../../envs/loop.yaml"
    params:
        config=f"results/config/{PLAN.name}.yaml",
        depends=depends("provide"),
    message:
        "Providing the toolchain of {wildcards.experiment}"
    script:
        "../scripts/provide_toolchain.py"
