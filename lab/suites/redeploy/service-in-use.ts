import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { openidConfigurationPath } from '../../../contract/routes.ts';
import { verifyToken } from '../../ministack/proof.ts';
import { type Credentials, requestToken } from '../../support/token-request.ts';

/** Milliseconds between two rounds. Without it, the client takes the time of the deployment. */
const pause = 50;

/** What the discovery document says, as far as it matters here. */
interface Metadata {
  readonly token_endpoint: string;
  readonly jwks_uri: string;
  readonly scopes_supported: readonly string[];
  readonly id_token_signing_alg_values_supported: readonly string[];
}

/** A deployed service, and a client that uses it while it changes. */
export class ServiceInUse {
  readonly #service: { readonly issuer: string; readonly audience: string };
  readonly #client: Credentials;
  #tokens = 0;

  constructor(
    service: { readonly issuer: string; readonly audience: string },
    client: Credentials,
  ) {
    this.#service = service;
    this.#client = client;
  }

  /** Tokens that the client has got and verified. */
  get tokens(): number {
    return this.#tokens;
  }

  /**
   * Gets tokens and verifies them, one after another, until a change has ended. No request is
   * repeated.
   *
   * @returns how many tokens were issued and verified meanwhile.
   * @throws if the change failed, or one request did.
   */
  async during(change: () => Promise<void>): Promise<number> {
    const started = this.#tokens;
    const failures: string[] = [];
    const end = new AbortController();
    const settled = Promise.allSettled([change()]).finally(() => end.abort());
    do {
      await this.#getAndVerify().catch((error: unknown) => failures.push(String(error)));
      await sleep(pause);
    } while (!end.signal.aborted);
    const [changed] = await settled;
    if (changed.status === 'rejected') throw changed.reason;
    assert.deepEqual(failures, [], 'requests failed during the change');
    return this.#tokens - started;
  }

  /** Gets tokens and verifies them. @throws if one request fails. */
  async getTokens(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) await this.#getAndVerify();
  }

  async readMetadata(): Promise<Metadata> {
    const response = await fetch(this.#service.issuer + openidConfigurationPath);
    assert.equal(response.status, 200, 'discovery');
    return (await response.json()) as Metadata;
  }

  async #getAndVerify(): Promise<void> {
    const { issuer, audience } = this.#service;
    const { token_endpoint, jwks_uri } = await this.readMetadata();
    const response = await requestToken(token_endpoint, this.#client);
    const body = await response.text();
    assert.equal(response.status, 200, `token: ${body}`);
    const { access_token } = JSON.parse(body) as { access_token: string };
    await verifyToken(access_token, { issuer, audience, jwksUri: jwks_uri });
    this.#tokens += 1;
  }
}
