"""What `meshgauge launch` writes, read by the parsers of those who will read it: Python, JSON, YAML, TOML, bash,
shellcheck, sbatch. Usage: files_test.py MESHGAUGE"""
import json
import os
import py_compile
import shutil
import subprocess
import sys
import tempfile

MESHGAUGE = sys.argv[1]
JOBS = {
    "torchrun": "--model llama-2-7b --system dgx-h100 --gpus 8 --engine ddp --recompute full",
    "torchrun nodes": "--model gpt2-124m --system dgx-a100-80gb --gpus 32 --engine ddp",
    "fsdp2": "--model llama-3.1-70b --system dgx-h100 --gpus 64 --engine fsdp2 --recompute full",
    "deepspeed": "--model llama-2-13b --system dgx-a100-80gb --gpus 16 --engine deepspeed --zero 3 "
                 "--set /training/optimizer_offload=cpu --set /training/dropout=false",
    "accelerate": "--model llama-2-7b --system dgx-h100 --gpus 16 --engine fsdp1",
    "accelerate deepspeed": "--model llama-2-7b --system dgx-h100 --gpus 8 --engine deepspeed --zero 2",
    "megatron": "--model deepseek-v3 --system dgx-h100 --gpus 1024 --tp 2 --pp 16 --ep 32 --etp 1 --global-batch 4096 "
                "--seq 4096 --micro-batch 1 --recompute selective",
    "megatron dense": "--model llama-3.1-405b --system dgx-h100 --gpus 1024 --tp 8 --pp 8 --vpp 2 --cp 2 --seq 8k "
                      "--global-batch 512 --recompute full --set /training/loss=fused",
    "torchtitan": "--model llama-3.1-8b --system dgx-h100 --gpus 64 --tp 2 --pp 4 --schedule gpipe "
                  "--set /training/recompute=full --set /parallelism/sequence_parallel=true",
    "torchtitan uneven": "--model llama-3.1-405b --system dgx-h100 --gpus 512 --tp 8 --pp 4 --vpp 2 "
                         "--set /parallelism/sequence_parallel=true --precision fp8",
    "slurm": "--model llama-2-7b --system dgx-h100 --gpus 32 --engine ddp",
    "slurm fsdp": "--model llama-2-7b --system dgx-h100 --gpus 32 --engine fsdp1",
    "slurm megatron": "--model llama-2-70b --system dgx-h100 --gpus 64 --tp 8 --pp 2",
}


def check(condition, message):
    if not condition:
        raise SystemExit(f"FAILED: {message}")


def parse_toml(path):
    try:
        import tomllib
    except ImportError:
        return None
    with open(path, "rb") as file:
        return tomllib.load(file)


def parse_yaml(path):
    try:
        import yaml
    except ImportError:
        return None
    with open(path) as file:
        return yaml.safe_load(file)


def check_file(folder, name):
    path = os.path.join(folder, name)
    if name.endswith(".py"):
        py_compile.compile(path, doraise=True)
    elif name.endswith(".json"):
        json.load(open(path))
    elif name.endswith(".yaml"):
        parsed = parse_yaml(path)
        check(parsed is None or parsed["num_processes"] > 0, f"{name} names no processes")
    elif name.endswith(".toml"):
        parsed = parse_toml(path)
        check(parsed is None or parsed["training"]["seq_len"] > 0, f"{name} names no sequence")
    else:
        subprocess.run(["bash", "-n", path], check=True)
        if shutil.which("shellcheck"):
            command = ["shellcheck", "--shell=bash", "--external-sources", "--exclude=SC1091", name]
            outcome = subprocess.run(command, cwd=folder, capture_output=True, text=True)
            check(outcome.returncode == 0, f"shellcheck {name}\n{outcome.stdout}")
    return path


def slurm_takes(path):
    """Where a controller answers it may lack the GPUs, but not the understanding."""
    if not shutil.which("sbatch") or not shutil.which("scontrol"):
        return
    if b" is UP" not in subprocess.run(["scontrol", "ping"], capture_output=True).stdout:
        return
    outcome = subprocess.run(["sbatch", "--test-only", path], capture_output=True, text=True)
    lacks = "Requested node configuration is not available" in outcome.stderr or "generic resource" in outcome.stderr
    check(outcome.returncode == 0 or lacks, f"sbatch --test-only: {outcome.stderr}")


def main():
    for name, flags in JOBS.items():
        target = name.split()[0]
        with tempfile.TemporaryDirectory() as folder:
            command = [MESHGAUGE, "launch", "--for", target, "--out", folder, *flags.split()]
            outcome = subprocess.run(command, capture_output=True, text=True)
            check(outcome.returncode == 0, f"{' '.join(command)}\n{outcome.stderr}")
            printed = subprocess.run([*command[:4], *flags.split(), "--json"], capture_output=True, text=True, check=True)
            answer = json.loads(printed.stdout)
            check(sorted(os.listdir(folder)) == sorted(f["path"] for f in answer["files"]), f"{name}: other files")
            for file in answer["files"]:
                path = check_file(folder, file["path"])
                check(open(path).read() == file["text"], f"{name}: {file['path']} differs from the answer")
                check(os.access(path, os.X_OK) == file["executable"], f"{name}: mode of {file['path']}")
                if file["path"].endswith(".sbatch"):
                    slurm_takes(path)
            again = subprocess.run(command, capture_output=True, text=True)
            check(again.returncode == 2 and "--force" in again.stderr, f"{name}: files were written over")
            check(subprocess.run([*command, "--force"], capture_output=True).returncode == 0, f"{name}: --force")
        print("ok", name)


main()
