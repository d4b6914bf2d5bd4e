// A log to try the tab with: what nccl-tests prints on one node, in its columns since 2.10. Times follow a line of 20 us
// and 135 GB/s with the usual unevenness of small messages; it is made up and stands for no machine.
const header = `# nThread 1 nGpus 8 minBytes 1024 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
${Array.from({ length: 8 }, (_, i) => `#  Rank  ${i} Group  0 Pid  4242 on     node-0 device  ${i} [0x${(16 + i * 16).toString(16)}] NVIDIA H100 80GB HBM3`).join('\n')}
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
`;

function row(bytes: number, slower: number): string {
  const us = slower * (20 + bytes / 251e3 + Math.sqrt(bytes) / 400);
  const half = (time: number) => {
    const algbw = bytes / time / 1e3;
    return `${time.toPrecision(4).padStart(9)}${algbw.toFixed(2).padStart(8)}${(algbw * 1.75).toFixed(2).padStart(8)}${'0'.padStart(7)}`;
  };
  return `${String(bytes).padStart(12)}${String(bytes / 4).padStart(14)}     float     sum      -1${half(us)}${half(us * 1.004)}`;
}

export const name = 'all_reduce-example.log';
/** `slower`: times by so much more. */
export const logOf = (slower: number): string => `${header}${Array.from({ length: 24 }, (_, i) => row(1024 * 2 ** i, slower)).join('\n')}
# Out of bounds values : 0 OK
# Avg bus bandwidth    : ${(201.4 / slower).toFixed(3)}
#
`;
export const log = logOf(1);
