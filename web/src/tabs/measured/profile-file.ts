// Tells a profile of ours among the files that are given.
import type { Profile } from '../../core/measured-types';

const largest = 4 * 2 ** 20;

/** undefined: it is something else, and read as a log. */
export async function profileIn(file: Blob): Promise<Profile | undefined> {
  if (file.size > largest || !/^\s*\{/.test(await file.slice(0, 64).text())) return undefined;
  try {
    const document = JSON.parse(await file.text()) as Record<string, unknown>;
    return document.schema_version !== undefined && 'name' in document && !('records' in document || 'model' in document || 'scenario' in document)
      ? (document as Profile)
      : undefined;
  } catch {
    return undefined;
  }
}
