// What each stage does when, in columns: a step may hold a hundred thousand passes, and arrays of numbers cross from
// the worker without a copy.

/** In the core's order; the index is what the columns hold. */
export const kinds = [
  'forward',
  'backward',
  'backward_input',
  'backward_weight',
  'message',
  'gradient_reduction',
  'optimizer',
  'parameter_gather',
  'overhead',
] as const;
export const message = kinds.indexOf('message');

export interface Timeline {
  stages: number;
  seconds: number;
  /** Of each stage the place of its first event, and the number of all events. */
  first: Uint32Array;
  start: Float64Array;
  end: Float64Array;
  kind: Uint8Array;
  /** -1: no pass, or no message of one. */
  microBatch: Int32Array;
  chunk: Int32Array;
  /** Of a message: the stage that receives it; else -1. */
  to: Int32Array;
}

export interface StageEvents {
  events: { start: number; end: number; kind: string; micro_batch?: number; chunk?: number; to?: number }[];
}

export function columnsOf(stages: StageEvents[]): Timeline {
  const count = stages.reduce((sum, { events }) => sum + events.length, 0);
  const timeline: Timeline = {
    stages: stages.length,
    seconds: 0,
    first: new Uint32Array(stages.length + 1),
    start: new Float64Array(count),
    end: new Float64Array(count),
    kind: new Uint8Array(count),
    microBatch: new Int32Array(count),
    chunk: new Int32Array(count),
    to: new Int32Array(count),
  };
  let at = 0;
  stages.forEach(({ events }, stage) => {
    timeline.first[stage] = at;
    for (const event of events) {
      timeline.start[at] = event.start;
      timeline.end[at] = event.end;
      timeline.kind[at] = (kinds as readonly string[]).indexOf(event.kind);
      timeline.microBatch[at] = event.micro_batch ?? -1;
      timeline.chunk[at] = event.chunk ?? -1;
      timeline.to[at] = event.to ?? -1;
      timeline.seconds = Math.max(timeline.seconds, event.end);
      at++;
    }
  });
  timeline.first[stages.length] = at;
  return timeline;
}

export const buffersOf = ({ first, start, end, kind, microBatch, chunk, to }: Timeline): ArrayBufferLike[] =>
  [first, start, end, kind, microBatch, chunk, to].map(({ buffer }) => buffer);
