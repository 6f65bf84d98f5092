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


rule provide_endpoint:
    input:
        tasks=PLAN.live_task_lists(),
    output:
        record="results/endpoint/{experiment}/{model}.json",
    log:
        "logs/provide_endpoint/{experiment}/{model}.log",
    conda:
        "../../envs/loop.yaml"
    params:
        config=f"results/config/{PLAN.name}.yaml",
        depends=depends("endpoint", "model"),
    message:
        "Asking the endpoint of {wildcards.model} whether it can be used"
    script:
        "../scripts/provide_endpoint.py"
