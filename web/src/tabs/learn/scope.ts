// What each kind of parallelism sends in a step, and what that would take at least on either link.
import type { Detail, Estimate } from '../../core/types';

export interface Scope {
  group: string;
  size: number;
  spansNodes: boolean;
  /** That a GPU puts on its link, by the collective's own factor. */
  bytes: number;
  seconds: number;
  inside: number;
  across: number;
}

/** Bus bandwidth times the time of a message is what a link carries of it: so much for each of its bytes. */
export function scopesOf({ traffic, scenario: { cluster }, step }: Estimate, { messages }: Detail): Scope[] {
  const [inside, across] = [Number(cluster.intra_node_bytes_per_second), Number(cluster.inter_node_bytes_per_second)];
  const scopes = new Map<string, Scope>();
  traffic.forEach((transfer, i) => {
    const message = messages[i];
    if (!message || transfer.first_stage > step.slowest_stage || step.slowest_stage > transfer.last_stage) return;
    const key = `${transfer.group} ${transfer.spans_nodes}`;
    const scope = scopes.get(key) ?? { group: transfer.group, size: transfer.group_size, spansNodes: transfer.spans_nodes, bytes: 0, seconds: 0, inside: 0, across: 0 };
    const factor = (message.busbw_bytes_per_second * message.message_seconds) / message.bytes;
    scope.bytes += factor * transfer.bytes * transfer.count_per_step;
    scope.seconds += transfer.seconds;
    scopes.set(key, scope);
  });
  return [...scopes.values()]
    .filter(({ bytes }) => bytes >= 1e6)
    .map((scope) => ({ ...scope, inside: inside > 0 ? scope.bytes / inside : 0, across: across > 0 ? scope.bytes / across : 0 }))
    .sort((a, b) => b.bytes - a.bytes);
}
