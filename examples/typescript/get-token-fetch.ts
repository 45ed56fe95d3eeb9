import { required } from './environment.ts';

/** Seconds before expiry at which the next token is fetched: clocks differ and requests take time. */
const refreshBefore = 120;

interface Token {
  readonly accessToken: string;
  /** Milliseconds on the clock that no one sets, as `performance.now()` reads it. */
  readonly refreshAt: number;
}

async function fetchToken(): Promise<Token> {
  const credentials = `${required('CLIENT_ID')}:${required('CLIENT_SECRET')}`;
  const sentAt = performance.now();
  const response = await fetch(required('TOKEN_URL'), {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'messaging:view' }),
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new Error(`no token: ${response.status} ${await response.text()}`);
  const body = (await response.json()) as { access_token: string; expires_in: number };
  return {
    accessToken: body.access_token,
    refreshAt: sentAt + (body.expires_in - refreshBefore) * 1000,
  };
}

let kept: Promise<Token> | undefined;

/** The token of the moment. Callers that come at once share one request. */
async function accessToken(): Promise<string> {
  const token = await kept?.catch(() => undefined);
  if (token !== undefined && performance.now() < token.refreshAt) return token.accessToken;
  kept = fetchToken();
  return (await kept).accessToken;
}

for (let call = 0; call < 2; call += 1) {
  const url = required('EXAMPLE_URL');
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${await accessToken()}` },
  });
  console.log(`GET ${url} ${response.status}`);
}
