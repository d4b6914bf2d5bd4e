"""The DDP program that `meshgauge launch` writes, run: two ranks over gloo lose what one rank loses on the joined batch,
and the model has as many parameters as the core counts. Usage: ddp_run_test.py MESHGAUGE"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

MESHGAUGE = sys.argv[1]
LLAMA = {"model_type": "llama", "hidden_size": 32, "intermediate_size": 80, "num_hidden_layers": 2,
         "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 97, "max_position_embeddings": 64}
GPT2 = {"model_type": "gpt2", "n_embd": 32, "n_layer": 2, "n_head": 4, "vocab_size": 97, "n_positions": 64}


def written(folder, model, gpus, micro_batch, recompute):
    scenario = {"model": model, "cluster": {"gpu": "v100-sxm2-32gb", "gpus": gpus},
                "training": {"engine": "ddp" if gpus > 1 else "single", "precision": "fp32", "sequence_length": 16,
                             "micro_batch_size": micro_batch, "global_batch_size": 8, "recompute": recompute,
                             "dropout": False, "tokens": 8 * 16 * 5}}
    path = os.path.join(folder, "scenario.json")
    with open(path, "w") as file:
        json.dump(scenario, file)
    out = os.path.join(folder, f"{gpus}-{micro_batch}")
    subprocess.run([MESHGAUGE, "launch", path, "--for", "torchrun", "--out", out], check=True, capture_output=True)
    answer = json.loads(subprocess.run([MESHGAUGE, "estimate", path, "--json"], capture_output=True, text=True).stdout)
    return out, answer["model"]["parameters"]


def python_with_torch():
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and subprocess.run([python, "-c", "import torch"], capture_output=True).returncode == 0:
            return python
    return None


def losses(folder):
    # torch 1.13 under Python 3.11 cannot read its own default of --redirects and --tee.
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": "", "PET_REDIRECTS": "1", "PET_TEE": "1"}
    outcome = subprocess.run(["nice", os.path.join(folder, "run.sh")], env=environment, capture_output=True, text=True,
                             timeout=600)
    if outcome.returncode != 0:
        raise SystemExit(f"FAILED: run.sh\n{outcome.stdout}\n{outcome.stderr}")
    return [float(loss) for loss in re.findall(r"step \d+ loss (\S+)", outcome.stdout)]


def parameters(python, folder):
    count = "from model import Decoder; print(sum(p.numel() for p in Decoder().parameters()))"
    return int(subprocess.run([python, "-c", count], cwd=folder, capture_output=True, text=True,
                              check=True).stdout)


def main():
    python = python_with_torch()
    if python is None or not shutil.which("torchrun"):
        sys.exit(77)
    for model, recompute in ((LLAMA, "full"), (GPT2, "none")):
        with tempfile.TemporaryDirectory() as folder:
            two, counted = written(folder, model, 2, 2, recompute)
            one, _ = written(folder, model, 1, 8, recompute)
            built = parameters(python, two)
            if built != counted:
                raise SystemExit(f"FAILED: model.py has {built} parameters, the core counts {counted}")
            apart, joined = losses(two), losses(one)
            print(model["model_type"], apart, joined, flush=True)
            if len(apart) != 5 or len(joined) != 5:
                raise SystemExit("FAILED: not five steps")
            # Sums in another order: fp32 agrees to some 1e-6 of a loss near ln 97 = 4.57.
            if max(abs(a - b) for a, b in zip(apart, joined)) > 2e-5:
                raise SystemExit("FAILED: two ranks lose something else than one")
            if not 4 < joined[0] < 5.2 or len(set(joined)) == 1:
                raise SystemExit("FAILED: no training")


main()
