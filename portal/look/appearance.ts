import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type PortalLook, parsePortalLook, readLogo } from '../../contract/portal-look.ts';
import type { Href } from '../request-context.ts';
import { accentStyle } from './accent.ts';

interface Asset {
  readonly path: string;
  readonly type: string;
  readonly content: string;
  /** Changes with the content, so a browser may cache the file forever. */
  readonly version: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

function makeAsset(name: string, type: string, content: string): Asset {
  const version = createHash('sha256').update(content).digest('hex').slice(0, 12);
  return { path: `/assets/${name}`, type, content, version };
}

function readAsset(name: string, type: string): Asset {
  const content = readFileSync(new URL(`../assets/${name}`, import.meta.url), 'utf8');
  return makeAsset(name, type, content);
}

/** The portal's own files. Pages load no others. */
const ownAssets = {
  style: readAsset('portal.css', 'text/css; charset=utf-8'),
  script: readAsset('portal.js', 'text/javascript; charset=utf-8'),
  icon: readAsset('icon.svg', 'image/svg+xml'),
} as const;

/** An image of a company can have styles. Opened as a page, it can do nothing else. */
const imagePolicy = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
};

/** Addresses of what a page loads. */
export interface AssetUrls {
  readonly styles: readonly string[];
  readonly script: string;
  readonly icon: string;
}

/** How the pages look, and the files that they load. */
export interface Appearance {
  /** What the pages call the service. */
  readonly name: string;
  /** An email address or an https URL. */
  readonly support: string | undefined;
  /** A line at the top of every page. */
  readonly notice: string | undefined;
  readonly urls: (href: Href) => AssetUrls;
  /** @param path of the request, without the path of the mount point. */
  readonly findAsset: (path: string) => Response | undefined;
}

function toResponse({ type, content, headers }: Asset): Response {
  return new Response(content, {
    headers: {
      'Content-Type': type,
      'Cache-Control': 'public, max-age=31536000, immutable',
      ...headers,
    },
  });
}

/** @throws {TypeError} if the look is not allowed. */
export function createAppearance(look: Partial<PortalLook> = {}): Appearance {
  const { name, logo, accentColour, support, notice } = parsePortalLook(look);
  const image = logo === undefined ? undefined : readLogo(logo);
  const icon =
    image === undefined
      ? ownAssets.icon
      : { ...makeAsset('logo.svg', 'image/svg+xml', image), headers: imagePolicy };
  const accent =
    accentColour === undefined
      ? undefined
      : makeAsset('accent.css', ownAssets.style.type, accentStyle(accentColour));
  const styles = [ownAssets.style, ...(accent === undefined ? [] : [accent])];
  const served = [...styles, ownAssets.script, icon];
  return {
    name,
    support,
    notice,
    urls: (href) => {
      const url = ({ path, version }: Asset) => href(path, { v: version });
      return { styles: styles.map(url), script: url(ownAssets.script), icon: url(icon) };
    },
    findAsset: (path) => {
      const found = served.find((asset) => asset.path === path);
      return found === undefined ? undefined : toResponse(found);
    },
  };
}
