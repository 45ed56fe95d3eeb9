import { type PortalLook, parsePortalLook, readLogo } from '../../contract/portal-look.ts';
import { type Asset, makeAsset, ownAssets } from '../assets.ts';
import type { Href } from '../request-context.ts';
import { accentStyle } from './accent.ts';

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
