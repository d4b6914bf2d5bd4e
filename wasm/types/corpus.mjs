// Requests that together reach every engine, model, layout and kind of mistake; the same list on every run.

/** A small generator of its own, so that the list never depends on a library. @param {number} seed */
function dice(seed) {
  return (/** @type {number} */ sides) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * sides);
  };
}

/** Each text is a request as it crosses the door. @param {import("meshgauge").Core} core @returns {string[]} */
export function corpus(core) {
  const ask = (/** @type {object} */ request) => JSON.parse(core.apiText(JSON.stringify(request)));
  const ids = (/** @type {string} */ kind) =>
    (ask({ command: "catalog", kind }).entries ?? []).map((/** @type {{ id: string }} */ entry) => entry.id);
  const fields = ask({ command: "describe" }).fields ?? [];
  const options = (/** @type {string} */ path) =>
    fields.find((/** @type {{ path: string }} */ field) => field.path === path)?.options ?? [undefined];
  const [models, systems, gpus, handbook] = ["models", "systems", "gpus", "handbook"].map(ids);
  const roll = dice(1);
  const pick = (/** @type {unknown[]} */ list) => list[roll(list.length)];
  const training = (/** @type {string} */ key) => pick(options(`/training/${key}`));

  /** @type {object[]} */
  const scenarios = [];
  // Defaults alone, for every model on some system and every GPU with some model.
  for (const model of models) scenarios.push({ model, cluster: { system: pick(systems), gpus: 8 } });
  for (const gpu of gpus) scenarios.push({ model: pick(models), cluster: { gpu, gpus: 2 ** roll(5) } });
  // Layouts and recipes, for every engine: many legal, some not, all to be answered.
  for (const engine of options("/training/engine")) {
    for (let i = 0; i < 60; ++i) {
      const megatron = engine === "megatron";
      const degree = (/** @type {number} */ most) => 2 ** roll(most);
      const tensor = megatron ? degree(4) : 1, pipeline = megatron ? degree(4) : 1, context = megatron ? degree(2) : 1;
      const data = engine === "single" ? 1 : degree(5);
      const micro = 1 + roll(4);
      scenarios.push({
        schema_version: 1,
        model: pick(models),
        cluster: { system: pick(systems), gpus: tensor * pipeline * context * data },
        parallelism: {
          ...(megatron && {
            tensor_parallel_size: tensor, sequence_parallel: tensor > 1 && roll(2) === 1,
            pipeline_parallel_size: pipeline, context_parallel_size: context,
            ...(pipeline > 1 && { pipeline_schedule: pick(options("/parallelism/pipeline_schedule")) }),
          }),
          ...(roll(2) && engine === "deepspeed" && { zero_stage: roll(4) }),
        },
        training: {
          engine, precision: training("precision"), optimizer: training("optimizer"), recompute: training("recompute"),
          attention: training("attention"), loss: training("loss"), kernels: training("kernels"),
          sequence_length: 512 * degree(4), micro_batch_size: micro,
          global_batch_size: micro * data * (pipeline > 1 ? 2 * pipeline : 1 + roll(4)),
          ...(roll(4) === 0 && { tokens: 1e9 * (1 + roll(1000)) }),
        },
        ...(roll(4) === 0 && { run: { mtbf_gpu_hours: 10 ** roll(6), checkpoint_interval_seconds: 600, pue: 1.2 } }),
      });
    }
  }

  const valid = { model: models[0], cluster: { system: systems[0], gpus: 8 } };
  const mistakes = [
    {}, { model: "no-such-model" }, { ...valid, model: 7 }, { ...valid, modl: 1 }, { ...valid, schema_version: 99 },
    { ...valid, cluster: { system: "no-such-system", gpus: -1 } }, { ...valid, cluster: { gpu: gpus[0], gpus: 1.5 } },
    { ...valid, parallelism: { tensor_parallel_size: 3, pipeline_parallel_size: 0 } },
    { ...valid, parallelism: { tensor_parallel_size: 1e300, zero_stage: 9, stage_layers: ["x"] } },
    { ...valid, training: { engine: "magic", precision: "fp1", micro_batch_size: "1", sequence_length: null } },
    { ...valid, model: { hidden_size: 64, "é\u0000\u{1f600}": [] } }, "handbook:no-such-case", null, 3, [],
  ];
  const estimate = (/** @type {unknown} */ scenario) => ({ command: "estimate", scenario });
  const bytes = { allocated_bytes: 5e10, reserved_bytes: 6e10, device_bytes: 7e10 };
  const measured = [
    { step_seconds: 1.5, ...bytes, rank: "last" }, { step_seconds: 0.3 }, { ...bytes, rank: "first" }, { out_of_memory: true },
    { out_of_memory: false }, {}, { step_seconds: -1 }, { rank: "middle" },
  ];
  const runs = scenarios.slice(0, 60).map((scenario, i) =>
    ({ id: `run ${i}`, family: `family ${i % 3}`, source: "corpus", scenario, measured: measured[i % 5] }));
  const timings = [
    { kind: "collective", cluster: { system: systems[0], gpus: 8 }, collective: { operation: "all_reduce", bytes: 1048576, ranks: 8 },
      measured: { seconds: 5e-5, floor_seconds: 3e-5 } },
    { kind: "kernel", cluster: { gpu: gpus[0] }, kernel: { op: "gemm", m: 4096, n: 4096, k: 4096 }, measured: { seconds: 1e-3 } },
    { kind: "kernel", cluster: { gpu: gpus[0] }, kernel: { op: "attention_forward", heads: 32, head_dim: 128, sequence: 4096 },
      measured: { seconds: 1e-3 } },
  ];
  const validate = (/** @type {unknown[]} */ ...files) => ({ command: "validate", files });
  const oom = [
    "[rank0]: in cross_entropy\n[rank0]: CUDA out of memory. Tried to allocate 3.91 GiB. GPU 0 has a total capacity of 79.15 GiB "
      + "of which 3.25 GiB is free. Process 12 has 40.00 GiB memory in use. Process 123 has 35.89 GiB memory in use. Of the allocated "
      + "memory 23.11 GiB is allocated by PyTorch, with 1.00 GiB allocated in private pools (e.g., CUDA Graphs), and 11.20 GiB is "
      + "reserved by PyTorch but unallocated.",
    "Tried to allocate 786.00 MiB (GPU 0; 31.74 GiB total capacity; 28.82 GiB already allocated; 503.38 MiB free; 29.97 GiB cached)",
    "Tried to allocate 20.00 MiB. Tried to allocate 250.00 MiB. Tried to allocate 1000.00 MiB. Tried to allocate 123.00 GiB.",
    "DefaultCPUAllocator: you tried to allocate 26084376576 bytes.", "nothing", "",
  ];
  const line = (/** @type {string} */ words) => `node-a:1:2 [0] NCCL INFO ${words}\n`;
  const nccl = line("NCCL version 2.28.9+cuda13.0") + line("NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:192.0.2.1<0>") + line("Using network IB")
    + line("NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0'") + line("comm 0x1 rank 0 nRanks 2 nNodes 2 localRanks 1 localRank 0 MNNVL 0")
    + line("ncclCommInitRank comm 0x1 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 1000 commId 0xa - Init COMPLETE") + line("Channel 00/02 : 0 1") + line("Trees [0] 1/-1/-1->0->-1")
    + line("Channel 00/0 : 1[0] -> 0[0] [receive] via NET/IB/0") + line("NCCL_ALGO set by environment to RING")
    + line("2 coll channels, 0 collnet channels, 0 nvls channels, 2 p2p channels, 2 p2p channels per peer")
    + line("AllReduce: 65536 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..1}") + "node-a:1:2 [0] a.cc:1 NCCL WARN Cuda failure 'out of memory'\n";
  const diagnose = (/** @type {string} */ text, /** @type {unknown[]} */ ...scenario) =>
    ({ command: "diagnose", text, ...(scenario.length && { scenario: scenario[0] }) });
  const claim = (/** @type {object} */ figures) => ({ command: "check", ...figures });
  const llama = { parameters: 65e9, tokens: 1.4e12, gpu: "a100-sxm-80gb", gpus: 128 };
  const claims = [
    { ...llama, days: 21 }, { ...llama, days: 21, tflops_per_gpu: 38, mfu: 0.12 }, { ...llama, gpus: 2048, tokens_per_second_per_gpu: 380 },
    { model: "llama-65b", system: "dgx-a100-80gb", gpus: 2048, days: 21, tokens: 1.4e12, sequence_length: 2048 },
    { model: "deepseek-v3", gpu: "h800-sxm-80gb", gpu_hours: 2.788e6, tokens: 14.8e12, precision: "fp8" },
    { parameters: 175e9, tokens: 300e9, gpu: "a100-sxm-80gb", gpus: 1024, days: 34, tflops_per_gpu: 140 },
    { parameters: 7e9, tokens: 2e12, gpus: 64, hours: 700, sequence_length: 4096 }, { parameters: 1e12, gpu: "l40s", gpus: 8, mfu: 0.3 },
    { model: "llama-65b", parameters: 7e9, gpu: gpus[0], gpus: 64, tokens_per_second: 1e4, precision: "fp32" }, { tokens: 1e9, days: 1 },
    { mfu: 0.4, gpu: "h100-sxm-80gb" }, {}, { parameters: -1, mfu: 46, gpu: "none", days: 1, hours: 1 }, { gpus: 1.5, weight: 1 },
  ];
  const requests = [
    { command: "describe" },
    ...["models", "systems", "gpus", "handbook", "nothing"].map((kind) => ({ command: "catalog", kind })),
    ...[["models", models[0]], ["systems", systems[0]], ["gpus", gpus[0]], ["handbook", handbook[0]], ["gpus", "none"]]
      .map(([kind, id]) => ({ command: "catalog", kind, id })),
    ...handbook.map((/** @type {string} */ id) => estimate(`handbook:${id}`)),
    ...scenarios.map((scenario, i) => ({ ...estimate(scenario), ...(i % 3 === 0 && { explain: true }) })),
    ...scenarios.filter((_, i) => i % 8 === 0).map((scenario) => ({ ...estimate(scenario), timeline: true })),
    { ...estimate(valid), timeline: "yes" },
    ...scenarios.filter((_, i) => i % 8 === 1).map((scenario) => ({ command: "detail", scenario })),
    { command: "detail", scenario: valid, explain: true },
    ...scenarios.filter((_, i) => i % 8 === 2).map((scenario) => ({ command: "curve", scenario, transfer: 0 })),
    ...[{ sizes: [1, 1e9] }, { sizes: [] }, { sizes: ["x"] }, { transfer: 1000 }, { transfer: 0.5 }, { group: 1 }]
      .map((more) => ({ command: "curve", scenario: valid, transfer: 0, ...more })), { command: "curve" },
    ...mistakes.map(estimate),
    validate({ file: "a", runs }, { file: "b", runs: [{ id: "left out", skipped: "no layout" }] }),
    validate({ file: "timings", runs: timings }),
    { ...validate({ file: "a", runs: runs.slice(0, 5) }), profile: { fixed_per_step_seconds: 0.25, memory_sigma: 0.2 } },
    ...measured.slice(5).map((wrong) => validate({ file: "a", runs: [{ ...runs[0], measured: wrong }] })),
    validate(), validate({}), validate(1), { command: "validate" },
    ...oom.flatMap((text) => [diagnose(text), diagnose(text, { model: models[0] }), diagnose(text, valid), diagnose(text, 3)]),
    ...scenarios.slice(0, 80).map((scenario) => diagnose(oom[0] + oom[1] + oom[2], scenario)),
    diagnose(nccl), diagnose(nccl + oom[0]), diagnose(line("")),
    { command: "diagnose", files: [{ name: "rank-0.log", text: nccl }, { name: "rank-1.log", text: oom[0] }] }, { command: "diagnose", files: [] },
    { command: "diagnose" }, { command: "diagnose", text: 1 }, diagnose(oom[0], "handbook:no-such-case"), diagnose(oom[0], {}),
    ...claims.map(claim),
    { command: "dance" }, { command: 1 }, {}, [], null, "text",
  ];
  const malformed = [
    "", " ", "{", "}", "nul", "{\"command\":", "{\"command\":\"describe\"} x", "{'command':'describe'}", "[".repeat(5000),
    "{\"command\":\"describe\",\"command\":\"catalog\"}", "\u0000", "{\"command\":\"des\u0000cribe\"}", "\ufeff{}",
    "{\"command\":\"estimate\",\"scenario\":{\"model\":1e999}}", "-1e400", "\"\\ud800\"", "{\"\u{1f600}\":\"\\u0000\"}",
  ];
  return [...requests.map((request) => JSON.stringify(request)), ...malformed];
}
