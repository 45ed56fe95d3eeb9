import type { ConnectionOptions } from 'node:tls';
import type { Authctl } from '../ministack/cloud.ts';
import type { Credentials } from '../support/token-request.ts';
import type { Account } from './aws.ts';
import type { Figures, Thing } from './run-record.ts';

/** What a check may use: the deployment, and ports. Tests give others. */
export interface World extends Account {
  readonly name: string;
  readonly awsRegion: string;
  /** Seconds. */
  readonly deployedIn: number;
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
  /** @returns the cipher. @throws {Error} if the server refuses the offer. */
  readonly shakeHands: (host: string, offer: ConnectionOptions) => Promise<string>;
  readonly authctl: Authctl;
  /** Says in the record what will be made. */
  readonly intend: (...things: readonly Thing[]) => void;
  /** Deploys again, with other lines of the config. */
  readonly redeploy: (change: object) => Promise<unknown>;
  /** Deletes the stack of the region, and deploys it again over what stayed. */
  readonly deployAnew: () => Promise<unknown>;
}

/** A world, and how long AWS may take. */
export interface Asked extends World {
  /** Asks until there is an answer. @throws {Error} after twice the minutes of the proof. */
  readonly within: <T>(what: string, ask: () => Promise<T | undefined | false>) => Promise<T>;
}

/** Asks AWS one thing. @returns figures, if there are some. @throws {Error} if the answer is not as promised. */
export type Check = (world: Asked) => Promise<Figures | void>;

/** @throws {Error} with what came, if it is not as expected. */
export function expect(isAsExpected: boolean, message: string): void {
  if (!isAsExpected) throw new Error(message);
}
