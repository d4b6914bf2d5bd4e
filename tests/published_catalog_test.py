#!/usr/bin/env python3
"""The published runs that claims are judged by are those of bench/accuracy/published-runs.csv and of the papers below.

Usage: published_catalog_test.py MESHGAUGE [--write]. Of each source, GPU, number format and model the fastest run is
kept; parameters and FLOPs are counted by MESHGAUGE, utilisation follows from the published speed and the dense peak.
--write puts them into core/catalog/published.json, which belongs into the commit that changes them."""

import csv
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ACCURACY = ROOT / "bench" / "accuracy"
CATALOG = ROOT / "core" / "catalog" / "published.json"
sys.path.insert(0, str(ACCURACY))
sys.dont_write_bytecode = True

import convert  # noqa: E402

FEWEST_GPUS = 8
LONGEST_SEQUENCE = 8192  # beyond it attention decides, which the parameters alone do not show
KINDS = {"pretrain-bench", "training-run", "mlperf"}
PUBLICATIONS = {
    "aa": "Hagemann et al. 2023, arXiv:2311.05610", "aut": "NVIDIA-NeMo/Automodel performance summary",
    "ao": "pytorch/ao", "bloom": "bigscience-workshop/bigscience tr11-176B chronicles",
    "bsv": "bigscience-workshop/bigscience experiments", "dgxc": "NVIDIA/dgxc-benchmarking READMEs",
    "fa2": "Dao 2023, arXiv:2307.08691 table 1", "flp": "FlagOpen/FlagPerf training/nvidia",
    "fms": "foundation-model-stack/fms-fsdp README", "iev": "InternLM/InternEvo doc/en/train_performance.md",
    "jax": "NVIDIA/JAX-Toolbox READMEs", "krt": "Korthikanti et al. 2022, arXiv:2205.05198 table 5",
    "llmf": "mosaicml/llm-foundry scripts/train/benchmarking", "mbr": "NVIDIA-NeMo/Megatron-Bridge performance summary",
    "mgs": "Jiang et al. 2024, arXiv:2402.15627 table 2", "mlp": "MLPerf Training result logs",
    "mmz": "yanring/Megatron-MoE-ModelZoo", "mpf": "Liu et al. 2025, arXiv:2504.14960",
    "nan": "huggingface/nanotron benchmark summary", "nemo": "NVIDIA NeMo performance summary",
    "nml": "NVIDIA/NeMo-Megatron-Launcher README", "pap": "paper", "ptd": "Narayanan et al. 2021, arXiv:2104.04473",
    "smx": "MooreThreads/SimuMax", "ttn": "pytorch/torchtitan benchmarks", "vp": "Yeung et al. 2024, arXiv:2411.05288",
    "zb": "Qi et al. 2023, arXiv:2401.10241", "msc": "ServiceNow/Fast-LLM quick start", "prm": "AMD-AGI/Primus", "dsg": "NVIDIA/Megatron-LM guide",
    "mbs": "NVIDIA-NeMo/Megatron-Bridge skills", "cai": "hpcaitech/ColossalAI",
}

# Speeds that papers print for whole runs: tokens a second and GPU, or how to get there.
PAPERS = [
    dict(id="llama-1-65b", name="LLaMA-65B", model="llama-65b", gpu="a100-sxm-80gb", precision="bf16", gpus=2048,
         sequence=2048, rate=380, source="Touvron et al. 2023, arXiv:2302.13971 section 2.4: 380 tokens/s a GPU"),
    dict(id="llama-3.1-405b-16384", name="Llama 3.1 405B", model="llama-3.1-405b", gpu="h100-sxm-80gb",
         precision="bf16", gpus=16384, sequence=8192, tflops=400,
         source="Llama 3, arXiv:2407.21783 table 4: 400 TFLOP/s, 41 % MFU"),
    dict(id="llama-3.1-405b-8192", name="Llama 3.1 405B", model="llama-3.1-405b", gpu="h100-sxm-80gb",
         precision="bf16", gpus=8192, sequence=8192, tflops=430,
         source="Llama 3, arXiv:2407.21783 table 4: 430 TFLOP/s, 43 % MFU"),
    dict(id="deepseek-v3", name="DeepSeek-V3", model="deepseek-v3", gpu="h800-sxm-80gb", precision="fp8", gpus=2048,
         sequence=4096, gpu_hours_per_trillion=180e3,
         source="DeepSeek-V3, arXiv:2412.19437 section 1: 180,000 GPU hours for each trillion tokens"),
    dict(id="deepseek-v2", name="DeepSeek-V2", model="deepseek-v2", gpu="h800-sxm-80gb", precision="bf16", gpus=0,
         sequence=4096, gpu_hours_per_trillion=172.8e3,
         source="DeepSeek-V2, arXiv:2405.04434 section 3.2.3: 172,800 GPU hours for each trillion tokens"),
    dict(id="deepseek-67b", name="DeepSeek LLM 67B", model="deepseek-llm-67b", gpu="h800-sxm-80gb", precision="bf16",
         gpus=0, sequence=4096, gpu_hours_per_trillion=300.6e3,
         source="DeepSeek-V2, arXiv:2405.04434 section 3.2.3: 300,600 GPU hours for each trillion tokens"),
]
PAPERS += [
    dict(id="mt-nlg-530b", name="MT-NLG 530B", model="mt-nlg-530b", gpu="a100-sxm-80gb", precision="bf16", gpus=2240,
         sequence=2048, rate=1920 * 2048 / 60.1 / 2240,
         source="Smith et al. 2022, arXiv:2201.11990 section 3.4: 60.1 s for 1,920 sequences"),
    dict(id="opt-175b", name="OPT-175B", model="opt-175b", gpu="a100-sxm-80gb", precision="fp16", gpus=992,
         sequence=2048, hardware_tflops=147,
         source="Zhang et al. 2022, arXiv:2205.01068 section 2.3: up to 147 TFLOP/s, recompute counted"),
    dict(id="megascale-175b", name="GPT 175B (MegaScale)", model="gpt3-175b", gpu="a100-sxm-80gb", precision="bf16",
         gpus=8192, sequence=2048, rate=6144 * 2048 / 9.56 / 8192,
         source="Jiang et al. 2024, arXiv:2402.15627 table 2: 9.56 s for 6,144 sequences, parallel block"),
    dict(id="megascale-175b-megatron", name="GPT 175B (Megatron-LM)", model="gpt3-175b", gpu="a100-sxm-80gb",
         precision="bf16", gpus=8192, sequence=2048, rate=6144 * 2048 / 12.24 / 8192,
         source="Jiang et al. 2024, arXiv:2402.15627 table 2: 12.24 s for 6,144 sequences"),
    dict(id="nemotron-4-15b", name="Nemotron-4 15B", model="nemotron-4-15b", gpu="h100-sxm-80gb", precision="bf16",
         gpus=2304, sequence=4096, rate=1152 * 4096 / 0.64 / 2304,
         source="Parmar et al. 2024, arXiv:2402.16819 table 2: 0.64 s for 1,152 sequences"),
]
# PaLM's shape is in no catalog; its paper prints the utilisation without attention, 45.7 %, and with, 46.2 %.
PALM = {"id": "palm-540b", "name": "PaLM 540B", "gpu": "tpu-v4", "precision": "bf16", "parameters_b": 540.35,
        "active_b": 540.35, "gpus": 6144, "sequence": 2048, "tokens_per_second_per_gpu": 38.79, "mfu_six_n": 0.4573,
        "mfu_causal": 0.4595,
        "source": "Chowdhery et al. 2022, arXiv:2204.02311 section 4.1: 238,300 tokens/s, 45.7 % MFU without attention"}


def ask(meshgauge, scenario):
    done = subprocess.run([meshgauge, "estimate", "--json", "-"], input=json.dumps(scenario), capture_output=True, text=True)
    answer = json.loads(done.stdout)
    return answer if answer["ok"] else None


def rounded(value, digits=4):
    return float(f"{value:.{digits}g}")


def line_of(answer, rate, peak, entry):
    conventions = {c["id"]: c["flops_per_token"] for c in answer["step"]["mfu_by_convention"]}
    model = answer["model"]
    return {**entry, "parameters_b": rounded(model["parameters"] / 1e9), "active_b": rounded(model["active_parameters"] / 1e9),
            **{k: entry[k] for k in ("gpus", "sequence")}, "tokens_per_second_per_gpu": rounded(rate),
            "mfu_six_n": rounded(conventions["six_n"] * rate / peak),
            "mfu_causal": rounded(conventions["causal"] * rate / peak), "source": entry["source"]}


def peak_of(meshgauge, gpu, precision):
    if gpu not in peak_of.known:
        entry = subprocess.run([meshgauge, "catalog", "gpus", gpu, "--json"], capture_output=True, text=True, check=True)
        peak_of.known[gpu] = json.loads(entry.stdout)["entry"]["peak_tflops"]
    peaks = peak_of.known[gpu]
    half = peaks.get("bf16") or peaks.get("fp16")
    name = {"pure_bf16": "bf16", "mxfp8": "fp8", "nvfp4": "fp4"}.get(precision, precision)
    return (peaks.get(name) or half) * 1e12


peak_of.known = {}


def gpu_of(meshgauge, cluster):
    if "gpu" in cluster:
        return cluster["gpu"]
    if cluster["system"] not in gpu_of.known:
        entry = subprocess.run([meshgauge, "catalog", "systems", cluster["system"], "--json"], capture_output=True,
                               text=True, check=True)
        gpu_of.known[cluster["system"]] = json.loads(entry.stdout)["entry"]["gpu"]
    return gpu_of.known[cluster["system"]]


gpu_of.known = {}


def size_of(parameters):
    """Which doubling of the parameters a model is in."""
    band = 0
    while parameters >= 2e9:
        parameters, band = parameters / 2, band + 1
    return band


def measured_runs(meshgauge):
    csv_rows = {}
    with open(ACCURACY / "published-runs.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            csv_rows[row["id"]] = row
    best = {}
    for line in convert.convert(str(ACCURACY / "published-runs.csv"))[1]:
        row = csv_rows[line["id"]]
        seconds = line.get("measured", {}).get("step_seconds")
        if not seconds or row["kind"] not in KINDS or int(float(row["gpus_total"] or 0)) < FEWEST_GPUS:
            continue
        # fp32 in a table is what the weights are stored in; the products ran in tf32 or 16 bits.
        if int(row["seq_len"]) > LONGEST_SEQUENCE or row["precision"] == "fp32":
            continue
        answer = ask(meshgauge, line["scenario"])
        if answer is None:
            continue
        training, cluster = answer["scenario"]["training"], answer["scenario"]["cluster"]
        gpus = cluster["gpus"]
        sequence = training["sequence_length"]
        rate = training["global_batch_size"] * sequence / (seconds * gpus)
        prefix = line["id"].split("-")[0]
        gpu = gpu_of(meshgauge, cluster)
        entry = {"id": line["id"], "name": row["model_name"].split(" (")[0].split(",")[0], "gpu": gpu, "precision": training["precision"], "gpus": gpus,
                 "sequence": sequence, "source": PUBLICATIONS[prefix]}
        made = line_of(answer, rate, peak_of(meshgauge, gpu, training["precision"]), entry)
        sparse = made["parameters_b"] > 1.05 * made["active_b"]
        key = (prefix, gpu, training["precision"], size_of(made["parameters_b"] * 1e9), sparse)
        if key not in best or made["mfu_causal"] > best[key]["mfu_causal"]:
            best[key] = made
    return sorted(best.values(), key=lambda e: (e["gpu"], e["precision"], e["active_b"], e["id"]))


def paper_runs(meshgauge):
    for paper in PAPERS:
        scenario = {"schema_version": 1, "model": paper["model"], "cluster": {"gpu": paper["gpu"], "gpus": 1},
                    "training": {"engine": "single", "precision": paper["precision"], "sequence_length": paper["sequence"],
                                 "recompute": "full" if "hardware_tflops" in paper else "none"}}
        answer = ask(meshgauge, scenario)
        flops = {c["id"]: c["flops_per_token"] for c in answer["step"]["mfu_by_convention"]}
        rate = paper.get("rate")
        if "gpu_hours_per_trillion" in paper:
            rate = 1e12 / (paper["gpu_hours_per_trillion"] * 3600)
        if "tflops" in paper:
            rate = paper["tflops"] * 1e12 / flops["causal"]
        if "hardware_tflops" in paper:
            rate = paper["hardware_tflops"] * 1e12 / flops["hardware_full"]
        entry = {key: paper[key] for key in ("id", "name", "gpu", "precision", "gpus", "sequence", "source")}
        yield line_of(answer, rate, peak_of(meshgauge, paper["gpu"], paper["precision"]), entry)


def file_text(entries):
    order = ("id", "name", "gpu", "precision", "parameters_b", "active_b", "gpus", "sequence",
             "tokens_per_second_per_gpu", "mfu_six_n", "mfu_causal", "source")
    sources = {}
    for entry in entries:
        prefix = entry["id"].split("-")[0]
        if PUBLICATIONS.get(prefix) == entry["source"]:
            sources[prefix] = entry["source"]
    lines = []
    for entry in entries:
        prefix = entry["id"].split("-")[0]
        out = {key: entry[key] for key in order}
        for key, value in out.items():
            if isinstance(value, float) and value == int(value):
                out[key] = int(value)
        if prefix in sources:
            out["source"] = "{" + prefix + "}"
        lines.append(json.dumps(out, separators=(",", ":"), ensure_ascii=False))
    table = ",\n".join(f"{json.dumps(k)}:{json.dumps(v)}" for k, v in sorted(sources.items()))
    return '{"sources":{\n' + table + '\n},"entries":[\n' + ",\n".join(lines) + "\n]}\n"


def main():
    meshgauge = sys.argv[1]
    text = file_text([*paper_runs(meshgauge), PALM, *measured_runs(meshgauge)])
    if "--write" in sys.argv:
        CATALOG.write_text(text, encoding="utf-8")
        return
    if text != CATALOG.read_text(encoding="utf-8"):
        now, then = text.splitlines(), CATALOG.read_text(encoding="utf-8").splitlines()
        for line in sorted(set(now) ^ set(then))[:10]:
            print(("computed: " if line in now else "file:     ") + line)
        sys.exit("core/catalog/published.json differs from bench/accuracy/published-runs.csv; --write brings it up to date.")


if __name__ == "__main__":
    main()
