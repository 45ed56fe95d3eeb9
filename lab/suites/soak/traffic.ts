import { Agent } from 'node:http';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { requestDeadline } from '../../../contract/bounds.ts';
import { sendRequest } from '../../emulator/http-exchange.ts';
import { examplePath } from '../../local/example-api.ts';
import { basic } from '../../support/token-request.ts';
import type { Target } from './service.ts';

type Kind = keyof typeof shares;

/** Requests of each kind among a hundred. */
const shares = {
  token: 50,
  wrong_secret: 8,
  malformed: 7,
  discovery: 10,
  jwks: 10,
  api_with_token: 10,
  api_with_key: 5,
} as const;

/** What each kind may be answered, and what as well while something is broken. */
const allowed: Readonly<
  Record<Kind, { readonly usual: readonly number[]; readonly broken: readonly number[] }>
> = {
  token: { usual: [200], broken: [503] },
  wrong_secret: { usual: [401, 429], broken: [503] },
  malformed: { usual: [400], broken: [] },
  discovery: { usual: [200], broken: [] },
  jwks: { usual: [200], broken: [] },
  api_with_token: { usual: [200], broken: [] },
  // API Gateway answers 500 for an authorizer that has no decision.
  api_with_key: { usual: [200], broken: [500, 503] },
};

/** The deadline of a request, and a fifth of it for a busy machine. */
const maxMilliseconds = requestDeadline * 1.2;

/** One token in so many is verified, as every verifier would. */
const verifiedShare = 20;

interface Answer {
  readonly status: number;
  readonly body: string;
}

const form = 'application/x-www-form-urlencoded';

/** Sends the mixed requests of a soak, and judges each answer. */
export class Traffic {
  readonly #service: Target;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #kinds: readonly Kind[];
  #token = '';
  #made = 0;

  constructor(service: Target) {
    this.#service = service;
    this.#kinds = (Object.keys(shares) as Kind[]).flatMap((kind) =>
      Array.from({ length: shares[kind] }, () => kind),
    );
  }

  /**
   * @param isBroken whether a fault is on, or was until just now.
   * @returns what is wrong with the answer.
   */
  async next(isBroken: () => boolean): Promise<string | undefined> {
    this.#made += 1;
    // A stride without a common divisor mixes the kinds evenly, and alike in each run.
    const kind = this.#kinds[(this.#made * 37) % this.#kinds.length] ?? 'token';
    const start = performance.now();
    const before = isBroken();
    const answer = await this.#ask(kind);
    const milliseconds = performance.now() - start;
    if (milliseconds > maxMilliseconds) return `${kind}: after ${milliseconds} ms`;
    return this.#judge(kind, answer, before || isBroken());
  }

  /** Gets the first token, for requests that need one. */
  async prepare(): Promise<void> {
    await this.#judge('token', await this.#ask('token'), false);
  }

  close(): void {
    this.#agent.destroy();
  }

  #ask(kind: Kind): Promise<Answer> {
    const { tokenUrl, jwksUri, issuer, clientId, clientSecret, apiKey } = this.#service;
    const grant = 'grant_type=client_credentials';
    const bearer = (value: string) => ({ authorization: `Bearer ${value}` });
    const ways: Readonly<Record<Kind, () => Promise<Answer>>> = {
      token: () => this.#send(tokenUrl, { authorization: basic(clientId, clientSecret) }, grant),
      wrong_secret: () =>
        this.#send(tokenUrl, { authorization: basic(clientId, 'cs_forgotten') }, grant),
      malformed: () =>
        this.#send(tokenUrl, { authorization: basic(clientId, clientSecret) }, 'grant_type=%'),
      discovery: () => this.#send(`${issuer}/.well-known/openid-configuration`, {}),
      jwks: () => this.#send(jwksUri, {}),
      api_with_token: () => this.#send(issuer + examplePath, bearer(this.#token)),
      api_with_key: () => this.#send(issuer + examplePath, bearer(apiKey)),
    };
    return ways[kind]();
  }

  async #send(url: string, headers: Readonly<Record<string, string>>, body?: string) {
    const isPost = body !== undefined;
    const all = { ...(isPost && { 'content-type': form }), ...headers };
    const options = { method: isPost ? 'POST' : 'GET', agent: this.#agent, headers: all };
    return sendRequest(url, options, body).then(
      (response): Answer => ({ status: response.status, body: response.body.toString() }),
      ({ message }: Error): Answer => ({ status: 0, body: message }),
    );
  }

  async #judge(kind: Kind, answer: Answer, isBroken: boolean): Promise<string | undefined> {
    const { usual, broken } = allowed[kind];
    const isAllowed = usual.includes(answer.status) || (isBroken && broken.includes(answer.status));
    if (!isAllowed) return `${kind}: ${answer.status} ${answer.body.slice(0, 100)}`;
    if (kind !== 'token' || answer.status !== 200) return undefined;
    const { access_token } = JSON.parse(answer.body) as { access_token: string };
    this.#token = access_token;
    if (this.#made % verifiedShare !== 0) return undefined;
    const keys = await this.#send(this.#service.jwksUri, {});
    try {
      await jwtVerify(access_token, createLocalJWKSet(JSON.parse(keys.body) as JSONWebKeySet));
      return undefined;
    } catch (error) {
      return `a token does not verify: ${String(error)}`;
    }
  }
}
