import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { AssetUrls } from './html/layout.ts';
import type { Href } from './request-context.ts';

interface Asset {
  readonly path: string;
  readonly type: string;
  readonly content: string;
  /** Changes with the content, so a browser may cache the file forever. */
  readonly version: string;
}

function readAsset(name: string, type: string): Asset {
  const content = readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8');
  const version = createHash('sha256').update(content).digest('hex').slice(0, 12);
  return { path: `/assets/${name}`, type, content, version };
}

/** The portal's own files. Pages load no others. */
const assets = {
  style: readAsset('portal.css', 'text/css; charset=utf-8'),
  script: readAsset('portal.js', 'text/javascript; charset=utf-8'),
  icon: readAsset('icon.svg', 'image/svg+xml'),
} as const;

export function assetUrls(href: Href): AssetUrls {
  const url = ({ path, version }: Asset) => href(path, { v: version });
  return { style: url(assets.style), script: url(assets.script), icon: url(assets.icon) };
}

/** @param path of the request, without the path of the mount point. */
export function findAsset(path: string): Response | undefined {
  const found = Object.values(assets).find((asset) => asset.path === path);
  if (found === undefined) return undefined;
  return new Response(found.content, {
    headers: {
      'Content-Type': found.type,
      'Cache-Control': 'public, max-age=31536000, immutable',
    },
  });
}
