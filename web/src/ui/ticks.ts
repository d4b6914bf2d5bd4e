// Round numbers along an axis.
const roundStep = (rough: number): number => {
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((one) => one >= rough)!;
};

/** 0, then round steps up to what is above `most`: three to five ticks. */
export function ticksTo(most: number): number[] {
  const step = roundStep(most / 4);
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, i) => i * step);
}

/** Round numbers between the two: three to five ticks. */
export function ticksBetween(low: number, high: number): number[] {
  const step = roundStep((high - low) / 4);
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.max(0, Math.floor(high / step) - first + 1) }, (_, i) => (first + i) * step);
}
