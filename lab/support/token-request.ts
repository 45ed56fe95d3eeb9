/** A client as its user knows it. */
export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** A header `Authorization` of RFC 7617. */
export function basic(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
}

/** Sends one token request, as any client would. */
export function requestToken(
  tokenUrl: string | URL,
  { clientId, clientSecret }: Credentials,
  parameters: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(tokenUrl, {
    method: 'POST',
    headers: { authorization: basic(clientId, clientSecret) },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...parameters }),
  });
}

/** @throws {Error} if the answer is no token. */
export async function fetchToken(...request: Parameters<typeof requestToken>): Promise<string> {
  const response = await requestToken(...request);
  const body = (await response.json()) as { readonly access_token?: string };
  if (body.access_token !== undefined) return body.access_token;
  throw new Error(`${response.status} ${JSON.stringify(body)}`);
}
