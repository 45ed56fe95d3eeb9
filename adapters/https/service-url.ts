import { maxProviderDocumentBytes, trustedFetchTimeout } from '../../contract/limits.ts';
import { jwksPath, openidConfigurationPath } from '../../contract/routes.ts';
import { algs } from '../../contract/signing-algorithms.ts';
import { InputError, UnavailableError } from '../../core/errors.ts';
import { KeySetError, lintKeySet } from '../../core/identity-provider/key-lint.ts';
import { fetchJsonDocument } from './json-document.ts';

const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Reads a configured address of this service: any host over https, and http on loopback for the
 * local run.
 *
 * @throws {InputError} with the value received and what is allowed.
 */
export function parseServiceUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isAllowed =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && loopbackHosts.has(url.hostname));
  if (url !== undefined && isAllowed) return url;
  throw new InputError(
    `URL of the service: received ${JSON.stringify(text)}; allowed: an https URL, or http on loopback`,
  );
}

interface IssuerCheck {
  /** Exactly as it must be in tokens. */
  readonly issuer: string;
  /** The default is the address at this service. */
  readonly jwksUri?: string | undefined;
  /** A certificate to trust as well, PEM. */
  readonly ca?: string | undefined;
}

/** Node's code of a failed connection: `ENOTFOUND`, `CERT_HAS_EXPIRED`. */
function reasonOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return error instanceof Error ? error.message : 'no answer';
}

async function fetchDocument(text: string, ca: string | undefined): Promise<unknown> {
  const bounds = { ca, timeout: trustedFetchTimeout, maxBytes: maxProviderDocumentBytes };
  try {
    return await fetchJsonDocument(parseServiceUrl(text), bounds);
  } catch (cause) {
    if (cause instanceof InputError) throw cause;
    throw new UnavailableError(`${text} cannot be fetched: ${reasonOf(cause)}`, { cause });
  }
}

/**
 * Compares an issuer with its own discovery document and reads its keys. A wrong issuer is found at
 * start, not when every token is refused.
 *
 * @throws {InputError} if the issuer is another, or its keys cannot be used.
 * @throws {UnavailableError} if a document cannot be fetched. The message says which, and why.
 */
export async function checkIssuer({ issuer, jwksUri, ca }: IssuerCheck): Promise<void> {
  const address = issuer + openidConfigurationPath;
  const document = (await fetchDocument(address, ca)) as { readonly issuer?: unknown } | null;
  if (document?.issuer !== issuer) {
    throw new InputError(
      `issuer: received ${JSON.stringify(issuer)}; allowed: ${JSON.stringify(document?.issuer)}, as ${address} says`,
    );
  }
  const keysAddress = jwksUri ?? issuer + jwksPath;
  const keySet = await fetchDocument(keysAddress, ca);
  try {
    const { keys } = lintKeySet(keySet, algs);
    if (keys.length === 0) throw new KeySetError(['it has no key that verifies tokens']);
  } catch (cause) {
    if (!(cause instanceof KeySetError)) throw cause;
    throw new InputError(`${keysAddress}: ${cause.message}`, { cause });
  }
}
