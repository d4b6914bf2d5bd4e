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
  const requests = [
    { command: "describe" },
    ...["models", "systems", "gpus", "handbook", "nothing"].map((kind) => ({ command: "catalog", kind })),
    ...[["models", models[0]], ["systems", systems[0]], ["gpus", gpus[0]], ["handbook", handbook[0]], ["gpus", "none"]]
      .map(([kind, id]) => ({ command: "catalog", kind, id })),
    ...handbook.map((/** @type {string} */ id) => estimate(`handbook:${id}`)),
    ...scenarios.map((scenario, i) => ({ ...estimate(scenario), ...(i % 3 === 0 && { explain: true }) })),
    ...mistakes.map(estimate),
    { command: "dance" }, { command: 1 }, {}, [], null, "text",
  ];
  const malformed = [
    "", " ", "{", "}", "nul", "{\"command\":", "{\"command\":\"describe\"} x", "{'command':'describe'}", "[".repeat(5000),
    "{\"command\":\"describe\",\"command\":\"catalog\"}", "\u0000", "{\"command\":\"des\u0000cribe\"}", "\ufeff{}",
    "{\"command\":\"estimate\",\"scenario\":{\"model\":1e999}}", "-1e400", "\"\\ud800\"", "{\"\u{1f600}\":\"\\u0000\"}",
  ];
  return [...requests.map((request) => JSON.stringify(request)), ...malformed];
}
