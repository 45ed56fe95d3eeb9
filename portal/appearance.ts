import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type PortalLook, parsePortalLook, readLogo } from '../contract/portal-look.ts';
import type { Href } from './request-context.ts';

/** A file that pages load. */
interface Asset {
  /** Without the path of the mount point. */
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

/** A bundle has the folder next to it, as this file does. */
function readAsset(name: string, type: string): Asset {
  const content = readFileSync(join(import.meta.dirname, 'assets', name), 'utf8');
  return makeAsset(name, type, content);
}

/** The portal's own files. */
const ownAssets = {
  style: readAsset('portal.css', 'text/css; charset=utf-8'),
  script: readAsset('portal.js', 'text/javascript; charset=utf-8'),
  icon: readAsset('icon.svg', 'image/svg+xml'),
} as const;

/** An image of a company can have styles. Opened as a page, it can do nothing else. */
const imagePolicy = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
};

/** How the pages look, and the files that they load. */
export type Appearance = Readonly<ReturnType<typeof createAppearance>>;

/** Addresses of what a page loads. */
export type AssetUrls = Readonly<ReturnType<Appearance['urls']>>;

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
export function createAppearance(look: Partial<PortalLook> = {}) {
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
    /** What the pages call the service. */
    name,
    /** An email address or an https URL. */
    support,
    /** A line at the top of every page. */
    notice,
    urls: (href: Href) => {
      const url = ({ path, version }: Asset) => href(path, { v: version });
      return { styles: styles.map(url), script: url(ownAssets.script), icon: url(icon) };
    },
    /** @param path of the request, without the path of the mount point. */
    findAsset: (path: string) => {
      const found = served.find((asset) => asset.path === path);
      return found === undefined ? undefined : toResponse(found);
    },
  };
}

/** WCAG 2.2, "relative luminance" of `#rrggbb`: 0 is black, 1 is white. */
function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const share = Number.parseInt(colour.slice(start, start + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** WCAG 2.2, "contrast ratio" of two colours: 1 to 21. */
export function contrastOf(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminanceOf(a), luminanceOf(b)].toSorted((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

/** WCAG 2.2, 1.4.3: the least contrast of a text and its background. */
const leastContrast = 4.5;

const black = '#000000';
const white = '#ffffff';

/** @param share of the second colour, 0 to 1. */
function mix(colour: string, other: string, share: number): string {
  const parts = [1, 3, 5].map((start) => {
    const [from = 0, to = 0] = [colour, other].map((one) =>
      Number.parseInt(one.slice(start, start + 2), 16),
    );
    return Math.round(from + (to - from) * share)
      .toString(16)
      .padStart(2, '0');
  });
  return `#${parts.join('')}`;
}

/** What links and buttons stand on, in portal.css. */
const schemes = {
  light: { grounds: ['#ffffff', '#f8f9fa', '#f4f5f7'], base: white, towards: black, share: 0.88 },
  dark: { grounds: ['#171e24', '#131a1f', '#0f1418'], base: '#171e24', towards: white, share: 0.8 },
} as const;

const step = 0.02;

/**
 * The colours of a scheme for an accent colour. The colour is darkened or lightened until it can be
 * read on everything that it stands on.
 *
 * @param colour as `#rrggbb`.
 */
export function accentColours(colour: string, scheme: keyof typeof schemes) {
  const { grounds, base, towards, share } = schemes[scheme];
  // The background of the page's own entry in the navigation.
  const soft = mix(colour, base, share);
  // Links, and the background of buttons; the ink is the text of buttons.
  let accent = colour;
  const isReadable = () =>
    [...grounds, soft].every((ground) => contrastOf(accent, ground) >= leastContrast);
  for (let part = step; part < 1 && !isReadable(); part += step)
    accent = mix(colour, towards, part);
  const ink = contrastOf(accent, white) >= contrastOf(accent, black) ? white : black;
  return { accent, ink, soft };
}

/** A style sheet that replaces the accent colour of portal.css. */
function accentStyle(colour: string): string {
  const rule = (scheme: keyof typeof schemes) => {
    const { accent, ink, soft } = accentColours(colour, scheme);
    return `:root{--accent:${accent};--accent-ink:${ink};--accent-soft:${soft}}`;
  };
  return `${rule('light')}\n@media screen and (prefers-color-scheme:dark){${rule('dark')}}\n`;
}
