import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file that pages load. */
export interface Asset {
  /** Without the path of the mount point. */
  readonly path: string;
  readonly type: string;
  readonly content: string;
  /** Changes with the content, so a browser may cache the file forever. */
  readonly version: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export function makeAsset(name: string, type: string, content: string): Asset {
  const version = createHash('sha256').update(content).digest('hex').slice(0, 12);
  return { path: `/assets/${name}`, type, content, version };
}

/** A bundle has the folder next to it, as this file does. */
function readAsset(name: string, type: string): Asset {
  const content = readFileSync(join(import.meta.dirname, 'assets', name), 'utf8');
  return makeAsset(name, type, content);
}

/** The portal's own files. */
export const ownAssets = {
  style: readAsset('portal.css', 'text/css; charset=utf-8'),
  script: readAsset('portal.js', 'text/javascript; charset=utf-8'),
  icon: readAsset('icon.svg', 'image/svg+xml'),
} as const;
