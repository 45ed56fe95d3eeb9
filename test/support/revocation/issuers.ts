import { UnavailableError } from '../../../core/errors.ts';
import { OAuthError } from '../../../core/oauth-error.ts';
import { FailureThrottle } from '../../../core/token/failure-throttle.ts';
import { issueToken, type TokenPorts } from '../../../core/token/issue-token.ts';
import { makeSigningKey, signWithKeys } from '../../../lab/support/signing-keys.ts';
import { basic } from '../../../lab/support/token-request.ts';
import { settings } from '../token-settings.ts';
import type { Region, RevocationWorld } from './world.ts';

export const { issuer, defaultAudience: audience } = settings;

const signer = makeSigningKey('ES256');
export const publicJwk = signer.key.publicJwk;

export interface Credentials {
  readonly clientId: string;
  readonly secret: string;
}

/** The token function of one region, with the clock of its host. */
export class Issuer {
  readonly #world: RevocationWorld;
  readonly #region: Region;
  readonly #ports: TokenPorts;

  constructor(world: RevocationWorld, region: Region) {
    this.#world = world;
    this.#region = region;
    this.#ports = {
      clients: world.replica(region),
      uses: { recordUse: async () => undefined },
      listSigningKeys: async () => [signer.key],
      sign: signWithKeys(signer),
      failures: new FailureThrottle({
        window: 60,
        distinctSecrets: 1e6,
        repetitions: 1e6,
        capacity: 100,
      }),
    };
  }

  /** @returns undefined if the client is refused, or DynamoDB does not answer. */
  async request({ clientId, secret }: Credentials) {
    const form = new URLSearchParams({ grant_type: 'client_credentials' });
    try {
      const { access_token: token } = await issueToken(
        {
          contentTypes: ['application/x-www-form-urlencoded'],
          authorizations: [basic(clientId, secret)],
          queryNames: [],
          body: Buffer.from(form.toString()),
        },
        this.#ports,
        settings,
        {
          now: Math.floor((this.#world.time.now + this.#region.skew) / 1000),
          random: this.#world.draw(16),
          source: '192.0.2.1',
          log: {},
        },
      );
      return token;
    } catch (error) {
      if (error instanceof OAuthError || error instanceof UnavailableError) return undefined;
      throw error;
    }
  }
}
