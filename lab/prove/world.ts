import type { ConnectionOptions } from 'node:tls';
import { basic, type Credentials } from '../support/token-request.ts';
import type { Account } from './clean.ts';
import type { Figures, Thing } from './run-record.ts';

/** What a check may use: the deployment, and ports. Tests give others. */
export interface World extends Account {
  readonly name: string;
  readonly issuer: string;
  readonly tokenUrl: string;
  readonly jwksUri: string;
  readonly audience: string;
  readonly client: Credentials;
  /** The token path of the second region only, if there is one. */
  readonly otherTokenUrl?: string | undefined;
  /** Names of the log groups of the templates. */
  readonly logGroups: readonly string[];
  /** Outputs of the probe: consumers of the service in a stack of their own. */
  readonly probe: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
  /** @returns the cipher. @throws {Error} if the server refuses the offer. */
  readonly shakeHands: (host: string, offer: ConnectionOptions) => Promise<string>;
  /** Runs `authctl`. @returns what it printed. */
  readonly authctl: (...args: readonly string[]) => Promise<Readonly<Record<string, unknown>>>;
  /** Says in the record what will be made. */
  readonly intend: (...things: readonly Thing[]) => void;
  /** AWS region of the first region. */
  readonly awsRegion: string;
  /** Deploys again, with other lines of the config. */
  readonly redeploy: (change: object) => Promise<unknown>;
  /** Deletes the stack of the region, and deploys it again over what stayed. */
  readonly deployAnew: () => Promise<unknown>;
}

/** Asks AWS one thing. @returns figures. @throws {Error} if the answer is not as promised. */
export type Check = (world: World) => Promise<Figures>;

/** @throws {Error} with what came, if it is not as expected. */
export function expect(isAsExpected: boolean, message: string): void {
  if (!isAsExpected) throw new Error(message);
}

export function secondsSince({ clock }: Pick<World, 'clock'>, startedAt: number): number {
  return Math.round((clock() - startedAt) / 1000);
}

/** A token request. */
export function requestToken(world: World, url = world.tokenUrl, more = {}): Promise<Response> {
  const { clientId, clientSecret } = world.client;
  return world.fetch(url, {
    method: 'POST',
    headers: { authorization: basic(clientId, clientSecret) },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
    ...more,
  });
}

/** @throws {Error} if the answer is no token. */
export async function getToken(world: World): Promise<string> {
  const response = await requestToken(world);
  const text = await response.text();
  expect(response.status === 200, `a token request got ${response.status}: ${text}`);
  return (JSON.parse(text) as { access_token: string }).access_token;
}
