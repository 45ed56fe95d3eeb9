import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import {
  createLoopbackCertificate,
  type LoopbackCertificate,
  serveHttps,
} from './loopback-https.ts';
import { createTestKey, type TestKey } from './test-issuer.ts';

/** An identity provider's documents on loopback, over https. */
export interface LoopbackProvider {
  readonly issuer: string;
  readonly discoveryUrl: string;
  readonly key: TestKey;
  /** Paths that were asked for. */
  readonly seen: string[];
  /** Documents by path; what is not there is 404. */
  readonly documents: Map<string, unknown>;
  close(): Promise<void>;
}

/**
 * Its own certificate is trusted by this process from then on.
 *
 * @param given a certificate whose authority is trusted already. The default is one of its own.
 */
export async function startLoopbackProvider(
  given?: LoopbackCertificate,
): Promise<LoopbackProvider> {
  const certificate = given ?? (await createLoopbackCertificate());
  if (given === undefined) {
    setDefaultCACertificates([...getCACertificates('default'), certificate.cert]);
  }
  const documents = new Map<string, unknown>();
  const seen: string[] = [];
  const server = await serveHttps(certificate, (request, response) => {
    seen.push(request.url ?? '');
    const document = documents.get(request.url ?? '');
    response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? {}));
  });
  const issuer = `https://localhost:${server.port}`;
  const key = createTestKey('ES256');
  documents.set('/.well-known/openid-configuration', {
    issuer,
    jwks_uri: `${issuer}/keys`,
    id_token_signing_alg_values_supported: ['RS256', 'ES256', 'HS256'],
  });
  documents.set('/keys', { keys: [key.jwk] });
  return {
    issuer,
    discoveryUrl: `${issuer}/.well-known/openid-configuration`,
    key,
    seen,
    documents,
    close: server.close,
  };
}
