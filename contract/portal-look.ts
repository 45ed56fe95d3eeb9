import * as v from 'valibot';
import { configObject } from './config-values.ts';
import { unprintable } from './unprintable.ts';

/** Of a logo: a browser loads it with the first page. */
const maxLogoLength = 32 * 1024;

const logoPattern =
  /^data:image\/svg\+xml;base64,((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;

/** Text without control characters, and without those that change its direction. */
export const printable = (most: number) =>
  v.pipe(
    v.string(),
    v.minLength(1, 'allowed: not empty'),
    v.maxLength(most, `allowed: at most ${most} characters`),
    v.check((text) => !unprintable.test(text), 'allowed: printable characters'),
  );

const logo = v.pipe(
  v.string(),
  v.regex(logoPattern, 'allowed: data:image/svg+xml;base64,…'),
  v.check((text) => {
    const image = readLogo(text);
    return image === undefined || /^(?:<\?xml|<svg)/.test(image);
  }, 'allowed: an image that begins with <svg or <?xml'),
  v.check(
    (text) => (readLogo(text)?.length ?? 0) <= maxLogoLength,
    `allowed: an image of at most ${maxLogoLength} characters`,
  ),
);

const accentColour = v.pipe(
  v.string(),
  v.regex(/^#[0-9a-f]{6}$/, 'allowed: a lower-case colour as #rrggbb'),
);

const email = v.pipe(v.string(), v.email());

function isSupport(text: string): boolean {
  return v.is(email, text) || (/^https:\/\/[\x21-\x7e]+$/.test(text) && URL.canParse(text));
}

const httpsUrl = (what: string) =>
  v.pipe(
    v.string(),
    v.maxLength(300, 'allowed: at most 300 characters'),
    v.check(
      // It is part of commands for a shell: no quotes, spaces, substitutions or globs.
      (text) => /^https:\/\/[\w.:/~%@+,=-]+$/.test(text) && URL.canParse(text),
      `allowed: ${what}: an https URL of letters, digits and - . _ ~ : / % @ + , =`,
    ),
  );

const support = v.pipe(
  v.string(),
  v.maxLength(300, 'allowed: at most 300 characters'),
  v.check(isSupport, 'allowed: an email address or an https URL'),
);

/** How the portal of a company looks. Nothing is loaded from other hosts. */
export const portalLookSchema = configObject({
  /** What the pages call the service. */
  name: v.optional(printable(60), 'Authorization server'),
  /** A `data:` URL of an SVG image. The portal serves it itself; see {@link readLogo}. */
  logo: v.optional(logo),
  /** Of buttons and links. The portal darkens or lightens it until it can be read. */
  accentColour: v.optional(accentColour),
  /** Whom a person asks for help: an email address or an https URL. */
  support: v.optional(support),
  /** A GET of one of the platform's API methods, which every token may call: the first call. */
  apiUrl: v.optional(httpsUrl('the address of an API method')),
  /** Where the platform describes its APIs. */
  documentation: v.optional(httpsUrl('a page')),
  /** A line at the top of every page, e.g. of a maintenance. */
  notice: v.optional(printable(300)),
});

export type PortalLook = Readonly<v.InferOutput<typeof portalLookSchema>>;

/** @throws {TypeError} that names the field, what was received and what is allowed. */
export function parsePortalLook(look: Partial<PortalLook>): PortalLook {
  const result = v.safeParse(portalLookSchema, look, { abortEarly: true });
  if (result.success) return result.output;
  const [issue] = result.issues;
  const received = JSON.stringify(issue.input).slice(0, 80);
  throw new TypeError(`look.${v.getDotPath(issue) ?? ''}: received ${received}; ${issue.message}`);
}

/** The SVG image of a look's `logo`. @returns undefined for anything but such a `data:` URL. */
export function readLogo(text: string): string | undefined {
  const [, base64] = logoPattern.exec(text) ?? [];
  if (base64 === undefined) return undefined;
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new TextDecoder().decode(bytes);
}
