import * as client from 'openid-client';
import { required } from './environment.ts';
import { keepToken, patientFetch } from './keep-token.ts';

const server = await client.discovery(
  new URL(required('ISSUER')),
  required('CLIENT_ID'),
  undefined,
  client.ClientSecretBasic(required('CLIENT_SECRET')),
  { [client.customFetch]: patientFetch },
);

export const callApi = keepToken(() =>
  client.clientCredentialsGrant(server, { scope: 'messaging:view' }),
);

if (process.argv[1] === import.meta.filename) {
  for (let call = 0; call < 2; call += 1) {
    const url = required('EXAMPLE_URL');
    console.log(`GET ${url} ${(await callApi(url)).status}`);
  }
}
