import type { AccessTokenType } from '../../contract/access-token-type.ts';
import type { RegionId } from '../../contract/regions.ts';
import { type Clock, seconds } from '../clock.ts';
import { type MintPorts, mintSecret } from './mint-secret.ts';
import { type RequestTokenPorts, requestToken } from './request-token.ts';
import { inStep } from './synthetic-check-error.ts';
import { verifyToken } from './verify-token.ts';

export interface SyntheticCheckPorts extends MintPorts, RequestTokenPorts {
  /** The JWKS that the region serves. */
  readonly fetchJwks: () => Promise<unknown>;
  readonly clock: Clock;
}

export interface SyntheticCheckSettings {
  readonly issuer: string;
  readonly regionId: RegionId;
  readonly accessTokenType: AccessTokenType;
}

export interface SyntheticCheckOutcome {
  /** Milliseconds that a client waits for a token. */
  readonly tokenLatency: number;
  /** It expires within a minute and authorises nothing. */
  readonly token: string;
}

/**
 * Acts as a client and as a platform API: gets a token with its own secret and verifies the token
 * with the published keys.
 *
 * @throws {SyntheticCheckError} if a step fails.
 */
export async function runSyntheticCheck(
  ports: SyntheticCheckPorts,
  { issuer, regionId, accessTokenType }: SyntheticCheckSettings,
): Promise<SyntheticCheckOutcome> {
  const now = (): number => seconds(ports.clock());
  const credentials = await inStep('secret', () => mintSecret(regionId, ports, now()));
  let sentAt = ports.clock();
  const timed: RequestTokenPorts = {
    ...ports,
    postTokenRequest: (wanted) => {
      sentAt = ports.clock();
      return ports.postTokenRequest(wanted);
    },
  };
  const token = await inStep('token', () => requestToken(credentials, timed));
  const tokenLatency = ports.clock() - sentAt;
  const jwks = await inStep('jwks', ports.fetchJwks);
  await inStep('verification', () =>
    verifyToken(token, jwks, { issuer, regionId, accessTokenType, now: now() }),
  );
  return { tokenLatency, token };
}
