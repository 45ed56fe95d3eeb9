import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import * as tls from 'node:tls';
import { BoundedMap, remember } from '../../core/bounded-map.ts';

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body?: string | Buffer | undefined;
  /** Resolves the host. The default is Node's own resolver. */
  readonly lookup?: LookupFunction | undefined;
  /** Certificates to trust as well, PEM. */
  readonly ca?: string | undefined;
}

/** The certificates that Node trusts, with NODE_EXTRA_CA_CERTS if this Node can list them. */
function trusted(): readonly string[] {
  const { getCACertificates }: Partial<typeof tls> = tls;
  return getCACertificates?.('default') ?? tls.rootCertificates;
}

/** A process trusts one further certificate, tests some. */
const contexts = new BoundedMap<string, tls.SecureContext>(8);

/** Trusts a certificate as well. Made once, because it parses all certificates that Node trusts. */
function contextTrusting(ca: string): tls.SecureContext {
  return remember(contexts, ca, () => tls.createSecureContext({ ca: [...trusted(), ca] }));
}

/** An agent for each fetch: no connection is shared, none outlives the fetch, no proxy applies. */
function clientFor(url: URL) {
  return url.protocol === 'http:'
    ? { request: httpRequest, agent: new HttpAgent({ keepAlive: false }) }
    : { request: httpsRequest, agent: new HttpsAgent({ keepAlive: false, maxCachedSessions: 0 }) };
}

/**
 * Sends one request over a connection of its own, and follows no redirect. The caller reads or
 * destroys the response.
 *
 * @param signal ends the request and the response.
 * @throws {Error} of node:net or node:http, or an AbortError, if there is no response.
 */
export function openResponse(
  url: URL,
  { method, headers, body, lookup, ca }: OutgoingRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { request, agent } = clientFor(url);
    const outgoing = request(url, {
      agent,
      method,
      headers,
      signal,
      ...(lookup !== undefined && { lookup }),
      ...(ca !== undefined && { secureContext: contextTrusting(ca) }),
    });
    outgoing.on('response', resolve);
    outgoing.on('error', reject);
    // After 101 Switching Protocols, Node closes the connection and emits nothing else.
    outgoing.on('close', () => reject(new Error('the connection closed without a response')));
    outgoing.end(body);
  });
}
