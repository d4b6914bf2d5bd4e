// JSON, deflated, in the letters a link may hold.

/** A link is opened by whoever finds it: what it inflates to is bounded, its nesting by what the core reads. */
const mostBytes = 1 << 20;
const mostLevels = 64;

async function through(bytes: Uint8Array<ArrayBuffer>, transform: GenericTransformStream, most = Infinity): Promise<Uint8Array<ArrayBuffer>> {
  const reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> = new Blob([bytes]).stream().pipeThrough(transform).getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length;
    if (size > most) {
      await reader.cancel();
      throw new RangeError('The text inflates to more than any scenario has.');
    }
    parts.push(part.value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

const isShallow = (value: unknown, levels = mostLevels): boolean =>
  typeof value !== 'object' || value === null || (levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1)));

export async function pack(value: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  const packed = await through(bytes, new CompressionStream('deflate-raw'));
  const letters = Array.from(packed, (byte) => String.fromCharCode(byte)).join('');
  return btoa(letters).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

/** undefined if the text was cut or changed, or holds more than a scenario can. */
export async function unpack(text: string): Promise<unknown> {
  try {
    const letters = atob(text.replace(/-/g, '+').replace(/_/g, '/'));
    const packed = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const bytes = await through(packed, new DecompressionStream('deflate-raw'), mostBytes);
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isShallow(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
