import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { exportJWK, type GenerateKeyPairResult, generateKeyPair, SignJWT } from 'jose';
import { readBody } from '../emulator/request-body.ts';
import {
  createTrustedCertificate,
  type LoopbackCertificate,
  serveHttps,
} from './loopback-https.ts';

export const loginClient = { clientId: 'portal', clientSecret: 'a-secret-of-the-portal' };

/** What the provider does differently from a right one. */
export interface Deviation {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: { readonly alg?: string; readonly kid?: string };
  /** Signs with a key that the provider does not publish. */
  readonly otherKey?: boolean;
  readonly tokenStatus?: number;
  readonly hang?: boolean;
  readonly discovery?: Readonly<Record<string, unknown>>;
}

interface Received {
  readonly path: string;
  readonly form: URLSearchParams;
  readonly authorization: string | undefined;
}

const own = await generateKeyPair('RS256');
const other = await generateKeyPair('RS256');
const elliptic = await generateKeyPair('ES256');

async function publish(pair: GenerateKeyPairResult, kid: string, alg: string) {
  return { ...(await exportJWK(pair.publicKey)), kid, alg, use: 'sig' };
}

const jwks = {
  keys: await Promise.all([publish(own, 'own', 'RS256'), publish(elliptic, 'elliptic', 'ES256')]),
};

/** An OpenID provider on loopback that signs what a test says. People need no password. */
export class TestOpenIdProvider {
  issuer = '';
  deviation: Deviation = {};
  /** Requests to its endpoints, the newest last. */
  readonly requests: Received[] = [];
  readonly #redirectUri: string;
  /** Parameters that were pushed (RFC 9126), by their `request_uri`. */
  readonly #pushed = new Map<string, URLSearchParams>();
  readonly #codes = new Map<string, { readonly nonce: string; readonly challenge: string }>();
  #close: (() => Promise<void>) | undefined;

  constructor(redirectUri: string) {
    this.#redirectUri = redirectUri;
  }

  /** @param given a certificate of `localhost`; by default one that this process trusts from then on. */
  async start(given?: LoopbackCertificate): Promise<void> {
    const certificate = given ?? (await createTrustedCertificate());
    const { port, close } = await serveHttps(certificate, (request, response) => {
      this.#answer(request, response).catch(() => response.writeHead(500).end());
    });
    this.issuer = `https://localhost:${port}`;
    this.#close = close;
  }

  async close(): Promise<void> {
    await this.#close?.();
  }

  /** As if a person had signed in at an address of the provider: where the browser goes back. */
  authorize(address: string): URL {
    const given = new URL(address).searchParams;
    const searchParams = this.#pushed.get(given.get('request_uri') ?? '') ?? given;
    const code = randomUUID();
    this.#codes.set(code, {
      nonce: searchParams.get('nonce') ?? '',
      challenge: searchParams.get('code_challenge') ?? '',
    });
    const callback = new URL(this.#redirectUri);
    const state = searchParams.get('state') ?? '';
    callback.search = new URLSearchParams({ code, state, iss: this.issuer }).toString();
    return callback;
  }

  async #idToken(nonce: string): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const alg = this.deviation.header?.alg ?? 'RS256';
    const pair = this.deviation.otherKey === true ? other : alg === 'ES256' ? elliptic : own;
    const claims = {
      iss: this.issuer,
      aud: loginClient.clientId,
      iat: now,
      exp: now + 300,
      sub: 'ada',
      nonce,
      auth_time: now,
      ...this.deviation.claims,
    };
    const kid = this.deviation.header?.kid ?? (alg === 'ES256' ? 'elliptic' : 'own');
    if (alg === 'none') {
      const text = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      return `${text({ alg })}.${text(claims)}.`;
    }
    const key =
      alg === 'HS256'
        ? new TextEncoder().encode(loginClient.clientSecret.padEnd(32, 'x'))
        : pair.privateKey;
    return new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(key);
  }

  async #answerToken(form: URLSearchParams, send: (status: number, body: object) => void) {
    const code = this.#codes.get(form.get('code') ?? '');
    this.#codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (this.deviation.tokenStatus !== undefined)
      return send(this.deviation.tokenStatus, {
        error: this.deviation.tokenStatus === 401 ? 'invalid_client' : 'server_error',
      });
    if (code?.challenge !== challenge || form.get('redirect_uri') !== this.#redirectUri) {
      return send(400, { error: 'invalid_grant' });
    }
    return send(200, {
      access_token: 'opaque',
      token_type: 'Bearer',
      expires_in: 60,
      id_token: await this.#idToken(code.nonce),
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.deviation.hang === true) return;
    const path = request.url ?? '';
    const form = new URLSearchParams((await readBody(request)).toString());
    this.requests.push({ path, form, authorization: request.headers.authorization });
    const send = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (path === '/jwks') return send(200, jwks);
    if (path === '/par') {
      const uri = `urn:ietf:params:oauth:request_uri:${randomUUID()}`;
      this.#pushed.set(uri, form);
      return send(201, { request_uri: uri, expires_in: 60 });
    }
    if (path === '/token') return this.#answerToken(form, send);
    return send(200, {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      jwks_uri: `${this.issuer}/jwks`,
      end_session_endpoint: `${this.issuer}/end`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      ...this.deviation.discovery,
    });
  }
}
