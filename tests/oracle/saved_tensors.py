#!/usr/bin/env python3
"""What autograd keeps for the backward pass of one layer, recorded by its own hooks, against the ledger's lines.

Usage: saved_tensors.py MESHGAUGE [--report]. Exits with 77, which ctest takes for "skipped", where torch is missing.

The blocks of blocks.py run on the CPU; what only a GPU does (dropout's mask, the casts of autocast) is written out
there. Each storage counts once, under the line of the ledger that its block names. Parameters, the model's input and
what the layers share (mask, rotary tables) are not counted. One layer is the difference between a model of two and a
model of one, here as in the program.
"""

import argparse
import itertools
import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
try:
    import torch
except ImportError:
    debian = pathlib.Path("/usr/bin/python3")  # for this one is Debian's package made
    if debian.exists() and sys.prefix != "/usr":
        os.execv(debian, [str(debian), *sys.argv])
    print("SKIPPED: no torch for python3, so nothing to compare the activations with (apt-get install python3-torch)")
    sys.exit(77)

import blocks  # noqa: E402
from recorder import Recorder, peak_bytes, recorded  # noqa: E402

SHAPES = {
    "llama": {"model_type": "llama", "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 160},
    "llama without groups": {"model_type": "llama", "num_attention_heads": 4, "num_key_value_heads": 4,
                             "intermediate_size": 160},
    "gpt2": {"model_type": "gpt2", "n_head": 4},
}
HIDDEN, SEQUENCE, VOCAB = 64, 32, 512
MESHGAUGE = ""


def model_config(shape, layers):
    names = {"hidden_size": HIDDEN, "num_hidden_layers": layers, "max_position_embeddings": SEQUENCE}
    if shape == "gpt2":
        names = {"n_embd": HIDDEN, "n_layer": layers, "n_positions": SEQUENCE}
    return {**SHAPES[shape], **names, "vocab_size": VOCAB}


def ledger(shape, layers, batch, training):
    """Bytes of the activation lines and of the loss's, each in the phase in which it holds most."""
    scenario = {
        "schema_version": 1,
        "model": model_config(shape, layers),
        "cluster": {"system": "dgx-a100-80gb", "gpus": 1},
        "training": {"sequence_length": SEQUENCE, "micro_batch_size": batch, "global_batch_size": batch, **training},
    }
    done = subprocess.run([MESHGAUGE, "estimate", "--json", "-"], input=json.dumps(scenario), capture_output=True,
                          text=True, check=False)
    if done.returncode not in (0, 1):  # 1: does not fit
        raise AssertionError(done.stdout + done.stderr)
    stage = json.loads(done.stdout)["memory"]["stages"][0]
    sums = {}
    for line in stage["lines"] + stage["other_lines"]:
        if line["category"] in ("activations", "logits"):
            phases = sums.setdefault(line["id"], {})
            for phase in line["phases"]:
                phases[phase] = phases.get(phase, 0) + line["bytes"]
    return {name: max(phases.values()) for name, phases in sums.items()}


def saved(shape, layers, batch, options):
    torch.manual_seed(1)
    model = blocks.Model(model_config(shape, layers), options)
    hidden = torch.randn(batch, SEQUENCE, HIDDEN, dtype=options.stream, requires_grad=True)
    return recorded(model, hidden, SEQUENCE)


def one_layer(measure):
    one, two = measure(1), measure(2)
    difference = {name: two.get(name, 0) - one.get(name, 0) for name in {*one, *two}}
    return {name: count for name, count in sorted(difference.items()) if count}


def both(shape, batch, options):
    training = {"engine": options.engine, "dropout": options.dropout, "attention": options.attention,
                "kernels": options.kernels, "precision": options.precision}
    return (one_layer(lambda layers: saved(shape, layers, batch, options)),
            one_layer(lambda layers: ledger(shape, layers, batch, training)))


class Layers(unittest.TestCase):
    maxDiff = None

    def compare(self, kernels, attention, engines, precisions, shapes=tuple(SHAPES)):
        cases = itertools.product(shapes, precisions, (False, True), (1, 2), engines)
        for shape, precision, dropout, batch, engine in cases:
            with self.subTest(shape=shape, precision=precision, dropout=dropout, batch=batch, engine=engine):
                options = blocks.Options(precision, kernels, attention, dropout, engine)
                autograd, ours = both(shape, batch, options)
                self.assertEqual(autograd, ours)
                self.assertGreater(sum(autograd.values()), 10 * batch * SEQUENCE * HIDDEN)

    def test_plain_modules_keep_what_autograd_saves(self):
        self.compare("eager", "unfused", ("hf", "ddp"), ("pure_bf16", "fp32"))

    def test_fused_kernels_keep_what_their_functions_save(self):
        self.compare("fused", "flash", ("ddp",), ("pure_bf16", "fp32"))

    def test_fused_kernels_around_plain_attention_keep_its_scores(self):
        self.compare("fused", "unfused", ("ddp",), ("pure_bf16", "fp32"))

    def test_autocast_keeps_an_fp32_stream_and_casts_each_input(self):
        self.compare("eager", "unfused", ("hf", "ddp"), ("bf16",))


class Heads(unittest.TestCase):
    def test_the_final_norm_keeps_what_autograd_saves(self):
        cases = itertools.product(SHAPES, ("pure_bf16", "fp32"), ("eager", "fused"))
        for shape, precision, kernels in cases:
            with self.subTest(shape=shape, precision=precision, kernels=kernels):
                autograd, ours = saved_by_head(shape, precision, kernels), final_norm(shape, precision, kernels)
                self.assertEqual(autograd["final_norm"], ours)
                self.assertEqual(autograd["loss_softmax"], 2 * SEQUENCE * VOCAB * 4)  # log-softmax alone

    def test_a_frozen_final_norm_keeps_its_fp32_input(self):
        autograd = saved_by_head("llama", "pure_bf16", "eager", frozen=True)
        self.assertEqual(autograd["final_norm"], final_norm("llama", "pure_bf16", "eager", peft="lora"))

    def test_the_loss_peaks_where_its_lines_say(self):
        for shape, engine in itertools.product(SHAPES, ("hf", "ddp")):
            with self.subTest(shape=shape, engine=engine):
                head, hidden, labels, recorder = a_head(shape, "pure_bf16", "eager")
                logits = head.logits(recorder, hidden).detach().requires_grad_()
                peak = peak_bytes(lambda: head.loss(recorder, logits, labels).backward())
                held = logits.numel() * logits.element_size()
                ours = ledger(shape, 1, 2, {"engine": engine, "precision": "pure_bf16", "kernels": "eager"})
                lines = ours["logits"] + ours["loss_softmax"] + ours["logits_gradient"]
                self.assertLess(abs(peak + held - lines), 64)  # the loss itself and its gradient, a few numbers


def final_norm(shape, precision, kernels, **training):
    training = {"engine": "ddp", "precision": precision, "kernels": kernels, **training}
    return ledger(shape, 1, 2, training)["final_norm"]


def saved_by_head(shape, precision, kernels, frozen=False):
    head, hidden, labels, recorder = a_head(shape, precision, kernels)
    head.requires_grad_(not frozen)
    with recorder.hooks():
        head.loss(recorder, head.logits(recorder, hidden), labels)
    return recorder.sums()


def a_head(shape, precision, kernels):
    torch.manual_seed(1)
    options = blocks.Options(precision, kernels, "unfused", False)
    head = blocks.Head(model_config(shape, 1), options)
    source = torch.randn(2, SEQUENCE, HIDDEN, dtype=options.stream, requires_grad=True)
    recorder = Recorder([source, *head.parameters()])
    return head, source * 1, torch.randint(0, VOCAB, (2, SEQUENCE)), recorder


def report():
    """Every combination side by side, autocast included."""
    cases = itertools.product(SHAPES, ("fp32", "pure_bf16", "bf16"), (False, True), ("hf", "ddp"))
    for shape, precision, dropout, engine in cases:
        options = blocks.Options(precision, "eager", "unfused", dropout, engine)
        autograd, ours = both(shape, 2, options)
        print(f"\n{shape}, {precision}, {engine}, dropout {dropout}: {sum(autograd.values())} {sum(ours.values())}")
        for name in sorted({*autograd, *ours}):
            print(f"  {name:24}{autograd.get(name, 0):10}{ours.get(name, 0):10}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("meshgauge")
    parser.add_argument("--report", action="store_true", help="print every line beside what autograd saves")
    arguments = parser.parse_args()
    MESHGAUGE = arguments.meshgauge
    if arguments.report:
        report()
    else:
        unittest.main(argv=sys.argv[:1], verbosity=2)
