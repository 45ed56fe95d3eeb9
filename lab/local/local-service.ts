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
  /** Seconds after which its secret has expired, by the service's clock. Left out: never. */
  readonly secretExpiresIn?: number;
}

/** An API key of a test. */
export interface TestApiKey {
  readonly name: string;
  readonly serviceTrunkGroup: string;
  /** Addresses in CIDR notation that may use it. Left out: every address. */
  readonly subnets?: readonly string[];
  /** The only scopes that it satisfies. Left out: every scope. */
  readonly scopes?: readonly string[];
  /**
   * Seconds after which it has expired, by the service's clock. Left out: never. The API under test
   * has its own clock: with {@link LocalServiceOptions.behind} of an hour, a key of a minute has
   * expired there at once.
   */
  readonly expiresIn?: number;
}

/** What `createDynamoDbLookups` of the verifier takes, to look up the keys and clients of a test. */
interface TestLookups {
  readonly tables: string;
  readonly region: string;
  readonly endpointDynamoDb: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
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
  /**
   * Whether a client that asks for a new token for each call is limited as in a deployment
   * (`fairShare` of the config): above it, the service answers 429 with `Retry-After`.
   *
   * @default false: one instance serves all clients of the tests
   */
  readonly fairShare?: boolean;
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
  /** For an API in the test's own process: `createDynamoDbLookups(auth.lookups)`. */
  readonly lookups: TestLookups;
  /**
   * For an API or a `forward-auth` in a process of its own: ISSUER, AUDIENCE, TOKEN_URL, JWKS_URI,
   * TABLES, and what finds DynamoDB (AWS_ENDPOINT_URL_DYNAMODB, AWS_REGION and an access key).
   */
  readonly environment: Readonly<Record<string, string>>;
  /** Gets a token, as a client would. @throws {Error} with the response if it is refused. */
  getToken(client: Clients, scope?: string): Promise<string>;
  /** Its secret gets no token, and a check of revocation refuses its tokens. */
  disableClient(client: Clients): Promise<void>;
  /** A check of revocation refuses the tokens that it has. It gets new ones a second later. */
  revokeTokens(client: Clients): Promise<void>;
  deleteClient(client: Clients): Promise<void>;
  disableApiKey(key: Keys): Promise<void>;
  deleteApiKey(key: Keys): Promise<void>;
  /**
   * @param overlap seconds for which the old value, which `apiKeys` keeps, continues to work.
   * @returns the new value.
   */
  rotateApiKey(key: Keys, overlap?: number): Promise<string>;
  /** The service's clock: milliseconds since the epoch. */
  now(): number;
  /** Moves the service's clock forward. @param seconds at least 0. */
  moveClock(seconds: number): void;
  /**
   * Rotates the signing key: the next token has the `kid` that is returned, and the JWKS keeps the
   * former key. A key is published before it signs: the service's clock goes forward for this call,
   * and is back at its end, so a verifier with its own clock accepts the next token. The JWKS has
   * room for eight rotations: a former key leaves it a day later.
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
