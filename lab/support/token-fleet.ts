import { maxReusableTokens } from '../../contract/limits.ts';
import type { Client } from '../../core/client/client.ts';
import { SigningKeyUnusableError } from '../../core/errors.ts';
import type { SigningKey } from '../../core/signing-key/signing-key.ts';
import { FailureLimiter } from '../../core/token/failure-limiter.ts';
import { issueToken, type TokenPorts, type TokenSettings } from '../../core/token/issue-token.ts';
import { TokenReuse } from '../../core/token/token-reuse.ts';
import type { TokenLogFields } from '../../core/token/token-values.ts';
import { clientIdOf, makeClient, secretValueOf } from './clients.ts';
import { makeSigningKey, signWithKeys, type TestKey } from './signing-keys.ts';
import { basic } from './token-request.ts';
import { tokenEnvironment, worldNow } from './token-settings.ts';

/** Real keys take a while to make, so all fleets have the same. */
const testKeys = [1, 2, 3].map(() => makeSigningKey('ES256'));

const settings: TokenSettings = {
  issuer: tokenEnvironment.AUTH_ISSUER,
  regionId: tokenEnvironment.AUTH_REGION_ID,
  defaultAudience: tokenEnvironment.AUTH_DEFAULT_AUDIENCE,
  maxTokenLifetime: tokenEnvironment.AUTH_MAX_TOKEN_LIFETIME,
  publicationLead: tokenEnvironment.AUTH_PUBLICATION_LEAD,
  leeway: tokenEnvironment.AUTH_LEEWAY,
  accessTokenType: 'at+jwt',
};

/** What a client asks for. */
interface FleetRequest {
  readonly client?: number;
  readonly secret?: number;
  readonly scope?: string;
  readonly resource?: string;
}

interface FleetAnswer {
  readonly token: string;
  readonly expiresIn: number;
  readonly log: TokenLogFields;
}

function toTokenRequest({ client = 1, secret = 1, scope, resource }: FleetRequest) {
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (scope !== undefined) form.set('scope', scope);
  if (resource !== undefined) form.set('resource', resource);
  return {
    contentTypes: ['application/x-www-form-urlencoded'],
    authorizations: [basic(clientIdOf(client), secretValueOf(secret))],
    queryNames: [],
    body: Buffer.from(form.toString()),
  };
}

/** Several instances of the token function's core over one set of records. Time is a value. */
export class TokenFleet {
  readonly clients = new Map<string, Client>([[clientIdOf(1), makeClient()]]);
  now = worldNow;
  signs = 0;
  /** kids of keys that KMS refuses. */
  readonly unusable = new Set<string>();
  keys: readonly SigningKey[];
  readonly #instances: readonly TokenPorts[];
  #draws = 0;

  constructor(count: number, share = 0.5) {
    this.keys = testKeys.slice(0, 1).map(({ key }) => key);
    this.#instances = Array.from({ length: count }, () => this.#start(share));
  }

  /** The first signs; the one before it is `previous`, or gone. */
  useKey(index: number, previous: 'published' | 'withdrawn' = 'published'): void {
    const { key } = testKeys[index % testKeys.length] as TestKey;
    const [before] = this.keys;
    const others =
      previous === 'withdrawn' || before === undefined || before.kid === key.kid
        ? []
        : [{ ...before, state: 'previous' as const, withdrawAt: this.now + 200_000 }];
    this.keys = [{ ...key, state: 'current' }, ...others];
  }

  changeClient(change: Partial<Client>, client = 1): void {
    const before = this.clients.get(clientIdOf(client)) ?? makeClient();
    this.clients.set(before.clientId, { ...before, version: before.version + 1, ...change });
  }

  async ask(instance: number, request: FleetRequest = {}): Promise<FleetAnswer> {
    const log: TokenLogFields = {};
    const values = {
      now: this.now,
      random: this.#draw(16),
      source: `192.0.2.${request.secret ?? 1}`,
      log,
    };
    const ports = this.#instances[instance];
    if (ports === undefined) throw new RangeError(`there is no instance ${instance}`);
    const response = await issueToken(toTokenRequest(request), ports, settings, values);
    return { token: response.access_token, expiresIn: response.expires_in, log };
  }

  /** Other bytes each time, the same in each run. */
  #draw(length: number): Uint8Array {
    this.#draws += 1;
    const bytes = Buffer.alloc(length);
    bytes.writeUInt32BE(this.#draws);
    return bytes;
  }

  #start(minimumRemainingShare: number): TokenPorts {
    const reuse = { minimumRemainingShare, maxTokens: maxReusableTokens };
    const sign = signWithKeys(...testKeys);
    return {
      clients: { findClient: async (id) => this.clients.get(id) },
      uses: { recordUse: async () => undefined },
      listSigningKeys: async () => this.keys,
      sign: async (key, ...rest) => {
        if (this.unusable.has(key.kid)) throw new SigningKeyUnusableError(key.kid);
        this.signs += 1;
        return sign(key, ...rest);
      },
      failures: new FailureLimiter({
        window: 60,
        distinctSecrets: 1000,
        repetitions: 1000,
        capacity: 100,
      }),
      reuse: new TokenReuse(reuse),
    };
  }
}
