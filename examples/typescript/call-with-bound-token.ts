// Gets a token that is bound to a key, and calls an API with it: private_key_jwt and DPoP, for FAPI 2.0.
// node call-with-bound-token.ts KEY_FILE; KEY_FILE is a private JWK of `authctl key create`.
import { readFileSync } from 'node:fs';
import { type CryptoKey, importJWK, type JWK } from 'jose';
import * as client from 'openid-client';
import { required } from './environment.ts';

const [file = ''] = process.argv.slice(2);
const { d, ...jwk } = JSON.parse(readFileSync(file, 'utf8')) as JWK & { readonly alg: string };
const importKey = async (one: JWK) => (await importJWK(one, jwk.alg)) as CryptoKey;
const privateKey = await importKey({ ...jwk, d });

const server = await client.discovery(
  new URL(required('ISSUER')),
  required('CLIENT_ID'),
  undefined,
  client.PrivateKeyJwt(privateKey),
);
// A proof carries the public key.
const publicKey = await importKey({ ...jwk, ext: true });
const proofs = client.getDPoPHandle(server, { privateKey, publicKey });

const tokens = await client.clientCredentialsGrant(server, {}, { DPoP: proofs });
const url = new URL(required('EXAMPLE_URL'));
const response = await client.fetchProtectedResource(
  server,
  tokens.access_token,
  url,
  'GET',
  undefined,
  undefined,
  { DPoP: proofs },
);
console.log(`GET ${url.href} ${response.status}, token_type ${tokens.token_type}`);
