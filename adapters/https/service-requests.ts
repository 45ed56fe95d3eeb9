import { maxProviderDocumentBytes, trustedFetchTimeout } from '../../contract/bounds.ts';
import { jwksPath, openidConfigurationPath } from '../../contract/routes.ts';
import { algs } from '../../contract/signing-algorithms.ts';
import { InputError, UnavailableError } from '../../core/errors.ts';
import { KeySetError, lintKeySet } from '../../core/identity-provider/key-lint.ts';
import { type JsonAnswer, requestJson } from './json-request.ts';

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

/** Certificates to trust as well, PEM: the local run's. */
interface ServiceRequestOptions {
  readonly ca?: string | undefined;
}

/**
 * Fetches a public document of this service, a JWKS or the discovery document, from a configured
 * address without any cache. Plain http is allowed only on loopback, for the local run.
 *
 * @throws {UnavailableError} if no JSON arrives in time.
 */
export type FetchServiceDocument = (url: string) => Promise<unknown>;

export function createFetchServiceDocument({
  ca,
}: ServiceRequestOptions = {}): FetchServiceDocument {
  const regional = {
    ca,
    /** Milliseconds for the response of one region: longer than a cold start of its function. */
    timeout: 5000,
    /** A JWKS of twenty keys of the largest kind; a region publishes three or four. */
    maxBytes: 128 * 1024,
    headers: { 'cache-control': 'no-cache' },
  };
  return async (text) => {
    try {
      return (await requestJson(parseServiceUrl(text), regional)).body;
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : 'it does not answer';
      throw new UnavailableError(`${text}: ${reason}`, { cause });
    }
  };
}

/** A client's id and secret. RFC 6749 §2.3.1's encoding does not change any of their characters. */
interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/**
 * Requests a token from a token endpoint of this service (RFC 6749 §4.4.2), over a new connection.
 * Plain http is allowed only for the local run on loopback.
 *
 * @returns the JSON of the response, also of an error.
 * @throws {FetchError} if no JSON arrives in time.
 */
export type PostTokenRequest = (url: string, credentials: Credentials) => Promise<JsonAnswer>;

export function createPostTokenRequest({ ca }: ServiceRequestOptions = {}): PostTokenRequest {
  return (text, { clientId, clientSecret }) => {
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
    const form = new URLSearchParams({ grant_type: 'client_credentials' });
    const headers = { authorization: `Basic ${basic}` };
    return requestJson(parseServiceUrl(text), {
      ca,
      form,
      headers,
      // Milliseconds. OAuth clients wait for 10 s and more. When a region needs as long, it has a
      // problem.
      timeout: 8000,
      // The largest token has less than 12 KiB.
      maxBytes: 16 * 1024,
    });
  };
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
    return (await requestJson(parseServiceUrl(text), bounds)).body;
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
export async function checkServedIssuer({ issuer, jwksUri, ca }: IssuerCheck): Promise<void> {
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
