// A set of files as one: the ustar format of POSIX.1-1988, which keeps what may be run.
import type { LaunchFile } from '../../core/launch-types';

const block = 512;

export function tar(files: LaunchFile[]): Blob {
  const encoder = new TextEncoder();
  const parts = files.flatMap(({ path, text, executable }) => {
    const body = encoder.encode(text);
    return [header(encoder.encode(path), body.length, executable), body, new Uint8Array((block - (body.length % block)) % block)];
  });
  return new Blob([...parts, new Uint8Array(2 * block)], { type: 'application/x-tar' });
}

function header(path: Uint8Array, size: number, executable: boolean): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(block);
  const put = (at: number, text: string) => bytes.set(new TextEncoder().encode(text), at);
  const octal = (at: number, width: number, value: number) => put(at, `${value.toString(8).padStart(width - 1, '0')}\0`);
  bytes.set(path.slice(0, 100), 0);
  octal(100, 8, executable ? 0o755 : 0o644);
  octal(108, 8, 0);
  octal(116, 8, 0);
  octal(124, 12, size);
  octal(136, 12, 0);
  put(148, ' '.repeat(8)); // of the checksum, while it is formed
  put(156, '0');
  put(257, 'ustar\x0000');
  put(148, `${bytes.reduce((sum, byte) => sum + byte, 0).toString(8).padStart(6, '0')}\0 `);
  return bytes;
}
