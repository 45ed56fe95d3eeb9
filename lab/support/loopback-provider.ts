import {
  createTrustedCertificate,
  type LoopbackCertificate,
  type LoopbackDocuments,
  serveDocuments,
} from './loopback-https.ts';
import { createTestKey, type TestKey } from './test-issuer.ts';

/** An identity provider's documents on loopback, over https. */
export interface LoopbackProvider extends Pick<LoopbackDocuments, 'documents' | 'seen' | 'close'> {
  readonly issuer: string;
  readonly discoveryUrl: string;
  readonly key: TestKey;
}

/**
 * Its own certificate is trusted by this process from then on.
 *
 * @param given a certificate whose authority is trusted already. The default is one of its own.
 */
export async function startLoopbackProvider(
  given?: LoopbackCertificate,
): Promise<LoopbackProvider> {
  const served = await serveDocuments(given ?? (await createTrustedCertificate()));
  const { origin: issuer, documents, seen, close } = served;
  const key = createTestKey('ES256');
  documents.set('/.well-known/openid-configuration', {
    issuer,
    jwks_uri: `${issuer}/keys`,
    id_token_signing_alg_values_supported: ['RS256', 'ES256', 'HS256'],
  });
  documents.set('/keys', { keys: [key.jwk] });
  const discoveryUrl = `${issuer}/.well-known/openid-configuration`;
  return { issuer, discoveryUrl, key, seen, documents, close };
}
