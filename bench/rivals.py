#!/usr/bin/env python3
"""Times other estimators on examples of their own, each beside the request of bench/requests.json that asks the same.

usage: bench/rivals.py FOLDER   where FOLDER holds clones: calculon, llm-analysis, SimuMax

Prints JSON: [{"rival", "commit", "what", "request", "milliseconds"}], of one estimate. What each of them needs of
Python is not installed; one that cannot run is named on standard error and left out. What they print goes to standard
error.
"""
import argparse
import contextlib
import json
import logging
import os
import pathlib
import subprocess
import sys
import time


def calculon_run(folder, model, **layout):
    """One model in the layout of Calculon's example, but for what is given."""
    import calculon as package
    from calculon.llm import Llm, System

    read = lambda name: package.io.read_json_file(str(folder / name))
    application = Llm.Application(read(f"models/{model}.json"))
    layout = read("examples/3072_t4_p64_d12_mbs4_full.json") | layout
    system = System(read("systems/a100_80g.json"))

    def once():
        run = Llm(application, logging.getLogger("calculon"))
        run.compile(system, Llm.Execution.from_json(dict(layout)))
        run.run(system)

    return once


def calculon(folder):
    """A step of the Megatron 1T model on 3,072 GPUs: the example of its README."""
    return "estimate/gpt_1t_on_3072", calculon_run(folder, "megatron-1T")


def calculon_search(folder):
    """A layout of GPT-3 175B on 512 GPUs, as its search runs them one by one."""
    layout = dict(num_procs=512, tensor_par=8, pipeline_par=8, data_par=8, batch_size=1536, microbatch_size=1)
    return "evaluate/gpt3_175b_512/iterations:1", calculon_run(folder, "gpt3-175B", **layout)


def llm_analysis(folder):
    """A step of LLaMA-65B on 64 GPUs."""
    from llm_analysis.analysis import train

    shape = dict(model_name="decapoda-research_llama-65b-hf", gpu_name="a100-sxm-80gb", dtype_name="w16a16e16")
    layout = dict(tp_size=8, pp_size=1, total_num_gpus=64, global_batch_size=64, batch_size_per_gpu=1, seq_len=2048)
    once = lambda: train(**shape, **layout, total_num_tokens=int(1e12), log_level="ERROR", flops_efficiency=0.5)
    return "estimate/llama_65b_on_64", once


def simumax(folder):
    """A step of twelve layers of Llama 3 70B with TP 2 on 8 GPUs: its perf_llama3_70b_layer12_tp2.py."""
    from simumax.core.config import ModelConfig, StrategyConfig, SystemConfig
    from simumax.core.perf_llm import PerfLLM
    from simumax.utils import get_simu_model_config, get_simu_strategy_config, get_simu_system_config

    def once():
        model = PerfLLM()
        model.configure(
            strategy_config=StrategyConfig.init_from_config_file(get_simu_strategy_config("tp2_pp1_dp4_mbs1")),
            model_config=ModelConfig.init_from_config_file(get_simu_model_config("llama3-70b")),
            system_config=SystemConfig.init_from_config_file(get_simu_system_config("a100_pcie")),
        )
        model.model_config.layer_num = 12
        model.run_estimate()
        model.analysis_mem()
        model.analysis_cost()

    return "estimate/llama_3_70b_12_layers_on_8", once


RIVALS = [("calculon", calculon), ("calculon", calculon_search), ("llm-analysis", llm_analysis), ("SimuMax", simumax)]


def milliseconds(once):
    once()
    start = time.perf_counter()
    runs = 0
    while time.perf_counter() - start < 1 or runs < 3:
        once()
        runs += 1
    return 1e3 * (time.perf_counter() - start) / runs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder.resolve()
    answers = []
    for name, prepare in RIVALS:
        clone = folder / name
        if not clone.is_dir():
            print(f"rivals: {clone} is not there", file=sys.stderr)
            continue
        sys.path.insert(0, str(clone))
        os.chdir(clone)
        try:
            with contextlib.redirect_stdout(sys.stderr):
                request, once = prepare(clone)
                spent = milliseconds(once)
            commit = subprocess.run(["git", "rev-parse", "--short=10", "HEAD"], capture_output=True, text=True)
            answers.append({"rival": name, "commit": commit.stdout.strip(), "what": prepare.__doc__,
                            "request": request, "milliseconds": spent})
        except Exception as error:  # of code that is not ours: whatever it is, the others still run
            print(f"rivals: {name} did not run: {type(error).__name__}: {error}", file=sys.stderr)
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
