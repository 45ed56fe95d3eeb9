import { required } from './environment.ts';
import { keepToken, patientFetch } from './keep-token.ts';

async function requestToken() {
  const credentials = `${required('CLIENT_ID')}:${required('CLIENT_SECRET')}`;
  const response = await patientFetch(required('TOKEN_URL'), {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'messaging:view' }),
  });
  if (!response.ok) throw new Error(`no token: ${response.status} ${await response.text()}`);
  return (await response.json()) as { access_token: string; expires_in: number };
}

export const callApi = keepToken(requestToken);

if (process.argv[1] === import.meta.filename) {
  for (let call = 0; call < 2; call += 1) {
    const url = required('EXAMPLE_URL');
    console.log(`GET ${url} ${(await callApi(url)).status}`);
  }
}
