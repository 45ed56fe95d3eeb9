import type { DeploymentConfigInput } from '../../contract/deployment-config.ts';
import type { Alg } from '../../contract/signing-algorithms.ts';

/*
 * What `@authorization-server-aws/local` declares. library.ts implements it, and its own declarations
 * would lead to those of the whole emulator.
 */

/** A client of a test. */
export interface TestClient {
  readonly name: string;
  /** The tenant. It is a claim of the tokens. */
  readonly serviceTrunkGroup: string;
  readonly scopes: readonly string[];
  /** Left out: the audience of the config. */
  readonly audiences?: readonly string[];
  /** Seconds that its tokens live. Left out: the default of the config. */
  readonly tokenLifetime?: number;
}

/** An API key of a test. */
export interface TestApiKey {
  readonly name: string;
  readonly serviceTrunkGroup: string;
  /** Addresses in CIDR notation that may use it. Left out: every address. */
  readonly subnets?: readonly string[];
}

/** What a service begins with. */
export interface LocalServiceOptions<Clients extends string, Keys extends string> {
  /** Your deployment's own config. Left out: an example with the scopes `messaging:view`, `messaging:manage` and four more. */
  readonly config?: DeploymentConfigInput;
  /** Clients by a name of your own, with one secret each. */
  readonly clients?: Readonly<Record<Clients, TestClient>>;
  /** API keys by a name of your own. */
  readonly apiKeys?: Readonly<Record<Keys, TestApiKey>>;
  /** The algorithms of tokens; the first one signs. */
  readonly signingAlgorithms?: readonly Alg[];
  /**
   * Seconds that the service's clock begins behind this machine's. A token that lives an hour has
   * expired everywhere if it is issued by a clock that is two hours behind.
   *
   * @default 0
   */
  readonly behind?: number;
}

/** A service that runs until `close`. */
export interface LocalService<Clients extends string, Keys extends string> {
  readonly issuer: string;
  readonly tokenUrl: string;
  readonly jwksUri: string;
  /** The default audience of tokens. */
  readonly audience: string;
  readonly clients: Readonly<Record<Clients, { clientId: string; clientSecret: string }>>;
  readonly apiKeys: Readonly<Record<Keys, string>>;
  /** Gets a token, as a client would. @throws {Error} with the response if it is refused. */
  getToken(client: Clients, scope?: string): Promise<string>;
  /** The service's clock: milliseconds since the epoch. */
  now(): number;
  /** Moves the service's clock forward. @param seconds at least 0. */
  moveClock(seconds: number): void;
  /**
   * Rotates the signing key: the next token has the `kid` that is returned, and the JWKS keeps the
   * former key. A key is published before it signs, so this moves the clock by less than a
   * minute. The JWKS has room for ten keys: a former one leaves it a day later.
   */
  rotateKeys(): Promise<string>;
  /** Ends the service, and deletes all that it wrote. */
  close(): Promise<void>;
}

/**
 * Runs the service on free ports of loopback, for `beforeAll` of tests:
 *
 * The moved clock is a value of this process: no function that is deployed can be given one.
 *
 * @example
 * const auth = await startLocal({
 *   clients: { reader: { name: 'Reader', serviceTrunkGroup: 'tg-1', scopes: ['messaging:view'] } },
 * });
 * const token = await auth.getToken('reader');
 * await auth.close();
 */
export declare function startLocal<Clients extends string = never, Keys extends string = never>(
  options?: LocalServiceOptions<Clients, Keys>,
): Promise<LocalService<Clients, Keys>>;
