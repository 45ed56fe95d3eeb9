import * as client from 'openid-client';
import { required } from './environment.ts';

/** Seconds before expiry at which the next token is fetched: clocks differ and requests take time. */
const refreshBefore = 120;

const server = await client.discovery(
  new URL(required('ISSUER')),
  required('CLIENT_ID'),
  undefined,
  client.ClientSecretBasic(required('CLIENT_SECRET')),
);

type Tokens = Awaited<ReturnType<typeof client.clientCredentialsGrant>>;

let kept: Tokens | undefined;

async function accessToken(): Promise<string> {
  if (kept === undefined || (kept.expiresIn() ?? 0) < refreshBefore) {
    kept = await client.clientCredentialsGrant(server, { scope: 'messaging:view' });
  }
  return kept.access_token;
}

for (let call = 0; call < 2; call += 1) {
  const url = new URL(required('EXAMPLE_URL'));
  const response = await client.fetchProtectedResource(server, await accessToken(), url, 'GET');
  console.log(`GET ${url.href} ${response.status}`);
}
