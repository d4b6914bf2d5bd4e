// The built page under a sub-path, as any static host would have it; on demand some files are missing.
import { fileURLToPath } from 'node:url';
// @ts-expect-error a script without types of its own
import { serve as serveFolder } from '../../../../web/serve.mjs';

export const dist = fileURLToPath(new URL('../../../../web/dist', import.meta.url));

export interface Site {
  url: string;
  /** Files whose names have this in them are not found from now on. */
  refuse: (part: string | undefined) => void;
  /** Files that were asked for. */
  asked: string[];
  close: () => Promise<void>;
}

export async function serve(folder = dist): Promise<Site> {
  let refused: string | undefined;
  const asked: string[] = [];
  const refuse = (name: string) => {
    asked.push(name);
    return refused !== undefined && name.includes(refused);
  };
  const { url, close } = (await serveFolder(folder, { base: '/some/where/', refuse })) as { url: string; close: () => Promise<void> };
  return { url, close, asked, refuse: (part) => (refused = part) };
}
