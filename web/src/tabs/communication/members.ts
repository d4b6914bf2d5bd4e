// Which ranks talk to one rank, from the pattern of its kind of group.
import type { GroupKind } from '../../core/launch-types';

/** All ranks of the group that `rank` is in. */
export function groupOf({ pattern: { members } }: GroupKind, rank: number): number[] {
  const start = members.reduce((at, { size, stride }) => at - (Math.floor(rank / stride) % size) * stride, rank);
  return members.reduce<number[]>((ranks, { size, stride }) => Array.from({ length: size }, (_, i) => ranks.map((at) => at + i * stride)).flat(), [start]).sort((a, b) => a - b);
}
