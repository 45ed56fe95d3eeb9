import { SignJWT } from 'jose';
import {
  createLoopbackCertificate,
  type LoopbackDocuments,
  serveDocuments,
} from '../loopback-https.ts';
import { type Claims, keys, type Workload } from './platform.ts';
import { workloads } from './workloads.ts';

/** What differs from the token that the platform would sign. */
interface TokenChanges {
  readonly claims?: Claims;
  readonly header?: Claims;
}

/** A platform's documents on loopback, and its tokens. */
export interface PlatformCopy {
  readonly platform: Workload;
  readonly issuer: string;
  readonly discoveryUrl: string;
  /**
   * A token as the platform signs it at `now`, in seconds: jose signs, not this project. The
   * audience is a list when the platform writes one.
   */
  createToken(audience: string, now: number, changes?: TokenChanges): Promise<string>;
}

export interface PlatformCopies extends Pick<LoopbackDocuments, 'seen' | 'close'> {
  readonly copies: readonly PlatformCopy[];
  /** Certificate of the server, PEM. */
  readonly ca: string;
  /** When true, no document is served. */
  isDown: boolean;
}

function slugOf({ name }: Workload): string {
  return name.toLowerCase().replaceAll(/[^a-z]+/g, '-');
}

/** Every URL of a copy has a path of the one server that all copies share. */
function copyOf(platform: Workload, origin: string): PlatformCopy {
  const { document, alg, typ, claims: published, times } = platform;
  const issuer = `${origin}/${slugOf(platform)}${pathOf(document.issuer)}`;
  return {
    platform,
    issuer,
    discoveryUrl: `${issuer}/.well-known/openid-configuration`,
    createToken(audience, now, { claims = {}, header = {} } = {}) {
      const aud = Array.isArray(published['aud']) ? [audience] : audience;
      const { life, notBefore } = times;
      const nbf = notBefore === undefined ? {} : { nbf: now - notBefore };
      const own = { ...published, aud, iss: issuer, iat: now, exp: now + life, ...nbf };
      return new SignJWT({ ...own, ...claims })
        .setProtectedHeader({ alg, kid: keys[alg].kid, ...(typ && { typ }), ...header })
        .sign(keys[alg].privateKey);
    },
  };
}

function pathOf(url: string): string {
  return new URL(url).pathname.replace(/\/$/, '');
}

/** Starts a copy of each platform. Nothing trusts their certificate by itself. */
export async function startPlatformCopies(): Promise<PlatformCopies> {
  const certificate = await createLoopbackCertificate();
  const served = await serveDocuments(certificate, () => copies.isDown);
  const { origin, documents, seen, close } = served;
  const started = workloads.map((platform) => {
    const copy = copyOf(platform, origin);
    const jwksPath = `/${slugOf(platform)}${pathOf(platform.document.jwks_uri)}`;
    documents.set(new URL(copy.discoveryUrl).pathname, {
      ...platform.document,
      issuer: copy.issuer,
      jwks_uri: `${origin}${jwksPath}`,
    });
    documents.set(jwksPath, { keys: [platform.jwk(keys[platform.alg])] });
    return copy;
  });
  const copies: PlatformCopies = {
    copies: started,
    ca: certificate.cert,
    seen,
    isDown: false,
    close,
  };
  return copies;
}
