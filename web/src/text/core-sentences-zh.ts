// Issues and warnings of the core in Chinese: whole sentences first, then phrases, punctuation last.

const N = '([\\d,.]+)';
const number = (pattern: string) => new RegExp(pattern.replaceAll('#', N), 'g');

const sentences: [RegExp, string][] = [
  // Of a config.json.
  [/Its architecture is not named, so it needs (.*?) and (\w+)\./g, '未写明架构，因此需要 $1、$2。'],
  [/Its architecture (".*?") is unknown, so it needs (.*?) and (\w+)\./g, '架构 $1 未知，因此需要 $2、$3。'],
  [/(\w+) stands for (.*?), which are not covered\./g, '$1 表示 $2，尚未支持。'],
  [number('(\\w+) is #, which does not divide the hidden size #\\. Change one of them, or give head_dim\\.'), '$1 为 $2，不能整除隐藏维度 $3。改其中之一，或给出 head_dim。'],
  [number('(\\w+) is #, which does not divide the # attention heads\\.'), '$1 为 $2，不能整除 $3 个注意力头。'],
  [/(\w+) differs from hidden_size\. Embeddings of another width than the layers are not covered\./g, '$1 与 hidden_size 不同。词嵌入宽度与层不同的模型尚未支持。'],
  [/(\w+) is not 3, the only number of channels that is covered\./g, '$1 不是 3；只支持 3 个通道。'],
  [/(\w+) is missing: of how many experts a token takes the output\./g, '缺少 $1：每个 token 取几个专家的输出。'],
  [number('(\\w+) is #\\. Allowed: 1 to the number of experts, #\\.'), '$1 为 $2。可用：1 到专家数 $3。'],
  [/(\w+) puts experts into layers that follow no rule\. Covered: every n-th layer, after dense ones at the start\./g, '$1 给出的专家层没有规律。支持：开头若干稠密层之后，每 n 层一个。'],
  [/(\w+) mixes kinds of attention in another order than one full layer after every n linear ones\./g, '$1 的注意力排列尚未支持。支持：每 n 个线性层之后一个完整层。'],
  [/recompute has method or layers \(full\) and modules \(selective\)\. Keep one kind\./g, '重计算同时写了 method、layers（完全）与 modules（选择性），只能留一种。'],
  [/recompute is an empty object\. Allowed: method and layers \(full\), or modules \(selective\)\./g, '重计算是空对象。可用：method 与 layers（完全），或 modules（选择性）。'],
  // What may stand at the end of any issue.
  [number('Did you mean (".*?")\\?'), '是否为 $1？'],
  [number('; did you mean (.*?)\\?'), '。是否为 $1？'],
  [/; the catalog has none with a similar name/g, '。目录中没有相近的名称。'],
  [/Write (\S+) without quotes\./g, '去掉引号，写 $1。'],
  [/Leave the field out for its default\./g, '略去此项即用默认值。'],
  [/No value is allowed\./g, '没有可用的值。'],
  [number('Allowed: up to # GPUs\\. Set smaller degrees\\.'), '可用：最多 $1 卡。请减小并行度。'],
  [number('Allowed: up to #\\. Set a smaller (\\w+)\\.'), '可用：最多 $1。减小 $2。'],
  [number('Allowed: # to #\\.(?= |$)'), '可用：$1 到 $2。'],
  [/Allowed: (.*?)\.(?= |$)/g, '可用：$1。'],
  // Of the wrong type.
  [/^(\w+) is (.*?), (?:a string|a number|a boolean|null)\. Expected: /g, '$1 为 $2，应为 '],
  [/^(.+?) is (an object|a list of \d+|missing|null|.*?)\. Expected: /g, '$1 为 $2，应为 '],
  [number('应为 a whole number, # to #\\.'), '应为整数，$1 到 $2。'],
  [number('应为 a number, # to #\\.'), '应为数，$1 到 $2。'],
  [/应为 a whole number\./g, '应为整数。'],
  [/应为 a number\./g, '应为数。'],
  [/应为 a list of whole numbers\./g, '应为整数列表。'],
  [/应为 true or false\./g, '应为 true 或 false。'],
  [/应为 one of (.*?)\.(?= |$)/g, '应为其中之一：$1。'],
  [/应为 a string\./g, '应为文字。'],
  [/应为 an object\./g, '应为对象。'],
  [/应为 a catalog id, or an object with the keys of a config\.json\./g, '应为目录中的名称，或 config.json 的内容。'],
  [/为 an object/g, '为对象'],
  [/为 a list of (\d+)/g, '为 $1 项的列表'],
  [/There is no field (".*?") here\./g, '没有 $1 这一项。'],
  [/It belongs to (\S+)\./g, '它属于 $1。'],
  [/^unknown (?:model|GPU|gpu|system) (".*?")/g, '目录中没有 $1'],
  [/There is no (?:model )?(".*?")\./g, '没有 $1。'],
  [/model is missing\. Name a model of the catalog, or paste its config\.json\./g, '未选模型。从目录中选择，或粘贴它的 config.json。'],
  [/The cluster names no hardware\. Set system or gpu to an id of the catalog\./g, '集群未指定机型或 GPU。从目录中选择其一。'],
  [/gpu is (".*?") beside system (".*?")\. Keep one of them\./g, 'GPU $1 与机型 $2 只能留一个。'],
  [/The config\.json lacks (.*?)\.(?= |$)/g, 'config.json 缺少 $1。'],
  // Degrees.
  [number('TP x PP x CP = (.*?) = #, cluster has #\\.'), 'TP × PP × CP = $1 = $2，集群有 $3 卡。'],
  [number('TP x PP x CP x DP = (.*?) = #, cluster has #\\.'), 'TP × PP × CP × DP = $1 = $2，集群有 $3 卡。'],
  [number('Set gpus #, or smaller degrees\\.'), '卡数改为 $1，或减小并行度。'],
  [number('TP x PP x CP = # does not divide # GPUs\\.'), 'TP × PP × CP = $1 不能整除 $2 卡。'],
  [number('Set gpus # or #\\.'), '卡数改为 $1 或 $2。'],
  [number('(\\w+) cannot split # tokens over # ranks evenly\\. Set it false, or (\\w+) #\\.'), '$1 无法把 $2 个 token 均分给 $3 个 rank。关闭它，或 $4 改为 $5。'],
  [number('(\\w+) # cuts sequences into # equal parts, and (\\w+) is #\\.'), '$1 $2 要把序列分成 $3 等份，而 $4 为 $5。'],
  [number('(\\w+) # x (\\w+) # does not divide # attention heads and # key-value heads \\(ulysses\\)\\.'), '$1 $2 × $3 $4 不能整除 $5 个注意力头和 $6 个 KV 头（Ulysses）。'],
  [number('does not divide TP x CP x DP / ETP = #\\.'), '不能整除 TP × CP × DP / ETP = $1。'],
  [number('does not divide TP x CP x DP = #\\.'), '不能整除 TP × CP × DP = $1。'],
  [number('does not divide the expert width #\\.'), '不能整除专家宽度 $1。'],
  [number('does not divide # experts\\.'), '不能整除 $1 个专家。'],
  [/does not divide /g, '不能整除 '],
  [number('# attention heads'), '$1 个注意力头'],
  [number('# key-value heads'), '$1 个 KV 头'],
  [number('the MLP width #'), 'MLP 宽度 $1'],
  [number('the shared expert width #'), '共享专家宽度 $1'],
  // Engine and hardware.
  [/(\w+) is (\S+), but (\S+) has no (?:tensor|pipeline|context|expert tensor|expert) parallelism\. Set (\w+) 1, or engine (.*?)\.(?= |$)/g, '$1 为 $2，但 $3 不支持。改为 1，或训练引擎改为 $5。'],
  [/zero_stage is (\d), which (\S+) does not have\./g, 'ZeRO 级别为 $1，$2 没有这一级别。'],
  [number('Set #, or engine (\\w+)\\.'), '改为 $1，或训练引擎改为 $2。'],
  [number('engine (\\w+) runs on 1 GPU, and the cluster has #\\. Set gpus 1, or engine (\\w+)\\.'), '训练引擎 $1 只用 1 卡，而集群有 $2 卡。卡数改为 1，或训练引擎改为 $3。'],
  [number('engine dp is one process on one node of # GPUs, and the cluster has #\\. Set engine (\\w+)\\.'), '训练引擎 dp 是单机单进程，一机 $1 卡，而集群有 $2 卡。训练引擎改为 $3。'],
  [/The usable memory of (.*?) is not known\. Set (\w+)\./g, '$1 的可用显存未知，请填 $2。'],
  [/(\w+) is (\w+), which (.*?) does not have\./g, '$1 为 $2，$3 没有这种格式。'],
  // Experts.
  [number('(\\w+) is #, but (.*?) has no experts\\. Set 1\\.'), '$1 为 $2，但 $3 没有专家。改为 1。'],
  [number('(\\w+) is #, but the fullest of # expert ranks holds at most # times the mean\\. Set 1, or a larger (\\w+)\\.'), '$1 为 $2，但 $3 个专家 rank 中最满的最多是平均的 $4 倍。改为 1，或增大 $5。'],
  // Pipeline.
  [/(\w+) (\S+) needs (\w+) above 1 \(is 1\)\. Set 1f1b, or more stages\./g, '$1 $2 要求 $3 大于 1（现为 1）。改为 1f1b，或增加阶段。'],
  [number('(\\w+) is #, but there is one stage\\. Set 1, or (\\w+) 2\\.'), '$1 为 $2，但只有一个阶段。改为 1，或 $3 改为 2。'],
  [/(\w+) is 1, and interleaved needs at least 2\. Set 2\./g, '$1 为 1，交错式 1F1B 至少要 2。改为 2。'],
  [number('(\\w+) is #, and zb-v has 2 chunks a rank\\. Set 2\\.'), '$1 为 $2，ZB-V 每个 rank 有 2 块。改为 2。'],
  [number('(\\w+) is #, but (\\S+) has one chunk a rank\\. Set 1, or (\\w+) interleaved\\.'), '$1 为 $2，但 $3 每个 rank 只有一块。改为 1，或 $4 改为交错式 1F1B。'],
  [number('(\\w+) # gives # micro-batches, and interleaved needs a multiple of #\\.'), '$1 $2 得到 $3 个 micro-batch，交错式 1F1B 要求是 $4 的倍数。'],
  [number('(\\w+) # gives # micro-batches, and dualpipe needs at least 2 x PP = #\\.'), '$1 $2 得到 $3 个 micro-batch，DualPipe 至少要 2 × PP = $4 个。'],
  [number('(\\w+) is #, and dualpipe needs an even number of stages\\.'), '$1 为 $2，DualPipe 要求阶段数为偶数。'],
  [number('# model chunks \\(PP # x #\\) need as many layers, and (.*?) has #\\. Set (\\w+) # or less\\.'), '$1 个模型块（PP $2 × $3）要有同样多的层，而 $4 有 $5 层。$6 改为 $7 或更小。'],
  [number('(\\w+) lists # chunks, and the layout has #\\. List one number for each\\.'), '$1 列出 $2 块，而布局有 $3 块。每块写一个数。'],
  [number('(\\w+) add up to #, and (.*?) has # layers\\. Let them add up to #\\.'), '$1 之和为 $2，而 $3 有 $4 层。应使其和为 $5。'],
  [number('(\\w+) is #, and pipelines of encoder-decoder models are not modelled\\. Set 1\\.'), '$1 为 $2，编码器-解码器模型的流水线没有建模。改为 1。'],
  // Batch, sequence, formats, recompute.
  [number('(\\w+) would be #\\.'), '$1 将是 $2。'],
  [number('(\\w+) # is no multiple of micro_batch_size x DP = # x # = #\\.'), '$1 $2 不是 micro-batch × DP = $3 × $4 = $5 的倍数。'],
  [number("(\\w+) # is beyond the model's # learned positions\\."), '$1 $2 超出模型的 $3 个可学习位置。'],
  [/(\w+) is (\w+), and precision is (\w+)\./g, '$1 为 $2，而精度为 $3。'],
  [number('layers is #, and the largest model chunk has #\\.'), '重计算层数为 $1，而最大的模型块有 $2 层。'],
  [number('model has # ([\\w -]+?)\\.(?= |$)'), '模型的 $2 为 $1。'],
  // Warnings.
  [number('TP # spans nodes of # GPUs: each layer waits for the network\\. Legal, but slow\\.'), 'TP $1 跨越每机 $2 卡的边界：每层都要等网络。可用，但慢。'],
  [/(\w+) is off: each tensor-parallel rank keeps whole norm and dropout activations\./g, '$1 关闭：每个 TP rank 都保存完整的 Norm 与 Dropout 激活值。'],
  [/(\w+) has no effect without tensor parallelism\./g, '没有张量并行时，$1 不起作用。'],
  [number('TP # is above # 个 KV 头: ranks hold copies of them\\.'), 'TP $1 大于 $2 个 KV 头：各 rank 保存其副本。'],
  [number('# layers do not split evenly into # chunks: some hold #, some #\\.'), '$1 层不能均分为 $2 块：有的 $3 层，有的 $4 层。'],
  [number('Micro-batches do not fill the pipeline: # for # stages\\. A larger (\\w+) would\\.'), 'micro-batch 填不满流水线：$1 个对 $2 个阶段。可增大 $3。'],
  [/Routing is taken as balanced\. The fullest expert rank holds more: set (\w+)\./g, '按负载均衡计算。最满的专家 rank 会更多：可填 $1。'],
  [number("Sequence # is beyond the model's # positions\\. Allowed with position scaling\\."), '序列长度 $1 超出模型的 $2 个位置。配合位置缩放可用。'],
  [/Recomputing core_attention saves nothing with flash attention, which keeps no score matrix\./g, 'FlashAttention 不保存分数矩阵，重算 core_attention 不省显存。'],
  [/(\w+) saves nothing: the model has no experts\./g, '$1 不省显存：模型没有专家。'],
  [/(\w+) saves nothing: the model has no latent attention\./g, '$1 不省显存：模型没有 MLA。'],
  [/Selective recompute without modules saves nothing\./g, '选择性重计算没有选模块，不省显存。'],
  [/FlashAttention-2 needs Ampere or later, and (.*?) is (\w+): attention is unfused and keeps its score matrix\./g, 'FlashAttention-2 要求 Ampere 及以后，$1 是 $2：注意力未融合，保存分数矩阵。'],
  [/FlashAttention-2 needs Ampere or later, and (.*?) is (\w+)\. Other kernels without a score matrix come close\./g, 'FlashAttention-2 要求 Ampere 及以后，$1 是 $2。其他不存分数矩阵的 kernel 与之接近。'],
  [number('The network between nodes is taken as # GB/s \\(# Gb/s\\) a GPU\\. Set (\\w+), or name a system\\.'), '跨机网络按每卡 $1 GB/s（$2 Gb/s）计算。可填 $3，或选择机型。'],
  // What to do.
  [number('Set (\\w+) #\\.'), '$1 改为 $2。'],
  [/Set ([\w.,-]+)\.(?= |$)/g, '改为 $1。'],
  // The rest of a plain "key is value".
  [/^(\w+) is (.*?)\.(?= |可|$)/g, '$1 为 $2。'],
];

const punctuation: [RegExp, string][] = [
  [/([。！？：]) +/g, '$1'],
  [/(\p{Script=Han}), /gu, '$1、'],
  [/(\d), (?=\d)/g, '$1、'],
  [/(["\w]), (?=["\w])/g, '$1、'],
  [/ and more/g, ' 等'],
];

const apply = (text: string, table: [RegExp, string][]) => table.reduce((so, [pattern, chinese]) => so.replace(pattern, chinese), text);

export function inChinese(message: string): string {
  const translated = apply(message, sentences);
  return translated === message ? message : apply(translated, punctuation);
}
