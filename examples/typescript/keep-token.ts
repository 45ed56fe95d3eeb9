import { setTimeout as sleep } from 'node:timers/promises';

/** Seconds before expiry at which the next token is requested: clocks differ and requests take time. */
const renewBefore = 60;

interface TokenResponse {
  readonly access_token: string;
  readonly expires_in?: number | undefined;
}

/** Waits once for as long as `Retry-After` of a 429 or 503 says. Each other response is final. */
export async function patientFetch(url: string | URL, options: RequestInit): Promise<Response> {
  const send = () => fetch(url, { ...options, signal: AbortSignal.timeout(10_000) });
  const response = await send();
  if (response.status !== 429 && response.status !== 503) return response;
  await response.body?.cancel();
  await sleep(Number(response.headers.get('retry-after') ?? 1) * 1000);
  return send();
}

/**
 * Keeps a token until shortly before it expires. Callers that come at once share one request.
 *
 * @returns a function that calls an API with the token, and once more with a new one after 401.
 */
export function keepToken(request: () => Promise<TokenResponse>) {
  let kept: { readonly token: string; readonly renewAt: number } | undefined;
  let coming: Promise<string> | undefined;

  async function renew(): Promise<string> {
    const sentAt = performance.now();
    const { access_token: token, expires_in: life = 0 } = await request();
    kept = { token, renewAt: sentAt + (life - renewBefore) * 1000 };
    return token;
  }

  /** Decides before it waits, so that no second caller can decide the same. */
  function accessToken(refused?: string): Promise<string> {
    if (kept !== undefined && kept.token !== refused && performance.now() < kept.renewAt)
      return Promise.resolve(kept.token);
    coming ??= renew().finally(() => {
      coming = undefined;
    });
    return coming;
  }

  return async function callApi(url: string): Promise<Response> {
    const call = (token: string) => fetch(url, { headers: { authorization: `Bearer ${token}` } });
    const token = await accessToken();
    const response = await call(token);
    if (response.status !== 401) return response;
    await response.body?.cancel();
    return call(await accessToken(token));
  };
}
