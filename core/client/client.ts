import { secretExpiresSoonWithin } from '../../contract/bounds.ts';
import { isSyntheticClientId, syntheticAuthority } from '../../contract/synthetic-check.ts';
import type { PortOptions } from '../port.ts';
import type { OwnedQuery, OwnedRecord, OwnedStore } from '../record-store.ts';
import { isEnabled, type Stoppable } from '../stops.ts';
import type { ClaimCondition } from './claim-condition.ts';

/**
 * A credential of a client as it is stored: a secret without its value, or a public key whose
 * private half the client holds. Times are seconds since the epoch.
 */
export interface ClientSecret extends Stoppable {
  readonly secretId: string;
  /** See core/credential/credential-value.ts. Undefined of a key. */
  readonly hash?: string | undefined;
  /** See core/client/client-key.ts. Undefined of a secret. */
  readonly publicKey?: string | undefined;
  /** What the key signs with. */
  readonly alg?: string | undefined;
  readonly name?: string | undefined;
  readonly createdAt: number;
  /** The first second at which the secret no longer authenticates. */
  readonly expiresAt?: number | undefined;
  /** UTC day of the last token, e.g. `2026-11-20`. */
  readonly lastUsedOn?: string | undefined;
  /** Another provider made it. Its end only ever comes sooner. */
  readonly imported?: true | undefined;
}

/** Where a client of a registered identity provider comes from. */
export interface ClientProvider {
  readonly issuer: string;
  /** The provider's registration. A provider that is registered again adopts no old clients. */
  readonly registrationId: string;
  /** The client's id at the provider. Identity is the pair (issuer, external client id). */
  readonly externalClientId: string;
  /** What else its tokens must say. */
  readonly conditions?: readonly ClaimCondition[] | undefined;
}

/** An event of CloudFormation that was answered. */
interface StackEvent {
  readonly id: string;
  readonly at: number;
}

/** The resource of a CloudFormation stack that a client is, or was. */
export interface ClientDeclaration {
  /** ARN of the stack, without the account if that is the deployment's own. */
  readonly stackId: string;
  /** The name of the resource in the template. */
  readonly logicalId: string;
  /** Its events of half an hour, the newest last: Lambda may deliver an event again, and late. */
  readonly events: readonly StackEvent[];
  /** Since when the stack does not declare it any more. */
  readonly undeclaredAt?: number | undefined;
  /** Since when it is people's: no event of this resource changes it. */
  readonly takenOverAt?: number | undefined;
}

/** An OAuth 2.0 client. */
export interface Client extends OwnedRecord {
  /** An imported client has the id that it had at another provider. */
  readonly clientId: string;
  /** Allowed values of `aud`, the default first. Empty: the deployment's default audience. */
  readonly audiences: readonly string[];
  /** Lifetime of an access token, in seconds. */
  readonly tokenLifetime: number;
  readonly scopes: readonly string[];
  /** Empty for a client under a provider, which never authenticates at the token endpoint. */
  readonly secrets: readonly ClientSecret[];
  readonly provider?: ClientProvider | undefined;
  /** Which import made it. */
  readonly importId?: string | undefined;
  readonly declared?: ClientDeclaration | undefined;
  /**
   * UTC day on which the client last got a token for an assertion of its provider, e.g.
   * `2026-11-20`. A secret has its own.
   */
  readonly lastUsedOn?: string | undefined;
  /** Checks that look up the client refuse tokens with an earlier `iat`. Only they read it. */
  readonly tokensNotBefore?: number | undefined;
}

/** Whether a stack declares a client at present. */
export function isDeclared({ declared }: Pick<Client, 'declared'>): boolean {
  return declared !== undefined && (declared.takenOverAt ?? declared.undeclaredAt) === undefined;
}

/** `Billing in the stack erp (us-west-2, account 111122223333)`. */
export function describeDeclaration({
  stackId,
  logicalId,
}: Pick<ClientDeclaration, 'stackId' | 'logicalId'>): string {
  const [, , , region, account = '', resource = ''] = stackId.split(':');
  const owner = account === '' ? "the deployment's account" : `account ${account}`;
  return `${logicalId} in the stack ${resource.split('/')[1]} (${region}, ${owner})`;
}

/**
 * Whether tokens of this client were revoked. A client whose id can be created again is created with
 * `tokensNotBefore`, which is no later than its creation and so refuses none of its own tokens.
 */
export function hadTokensRevoked({
  tokensNotBefore = 0,
  createdAt,
}: Pick<Client, 'tokensNotBefore' | 'createdAt'>): boolean {
  return tokensNotBefore > createdAt;
}

/** What a check of a platform API reads of a client: nothing about its secrets. */
export type CheckedClient = Pick<
  Client,
  | 'clientId'
  | 'serviceTrunkGroup'
  | 'audiences'
  | 'scopes'
  | 'stops'
  | 'provider'
  | 'tokensNotBefore'
>;

/** Whether a secret that still works should be replaced. */
export function expiresSoon({ expiresAt }: Pick<ClientSecret, 'expiresAt'>, now: number): boolean {
  return expiresAt !== undefined && expiresAt - now <= secretExpiresSoonWithin;
}

type SecretStatus = 'active' | 'expires_soon' | 'expired' | 'disabled';

export function secretStatus(
  { expiresAt, stops }: Pick<ClientSecret, 'expiresAt' | 'stops'>,
  now: number,
): SecretStatus {
  if (expiresAt !== undefined && expiresAt <= now) return 'expired';
  if (!isEnabled({ stops })) return 'disabled';
  return expiresSoon({ expiresAt }, now) ? 'expires_soon' : 'active';
}

/** Whether a secret authenticates, if its client is enabled. */
export function isUsable(secret: Pick<ClientSecret, 'expiresAt' | 'stops'>, now: number): boolean {
  return !['expired', 'disabled'].includes(secretStatus(secret, now));
}

/**
 * A client as the token path uses it. The synthetic check can write the records of its own clients,
 * so the token path ignores everything in them that would give a token a meaning.
 */
export function withoutSyntheticAuthority(client: Client): Client {
  return isSyntheticClientId(client.clientId) ? { ...client, ...syntheticAuthority } : client;
}

/** What the verifier needs of clients. */
export interface ClientLookup {
  /** Resolves and rejects as {@link ClientReader.findClient} does. */
  findClient(clientId: string, options?: PortOptions): Promise<CheckedClient | undefined>;
}

/** What the token endpoint needs of clients. */
export interface ClientReader {
  /** @returns undefined if there is no such client. */
  findClient(clientId: string, options?: PortOptions): Promise<Client | undefined>;
}

/** Records that a client authenticated: at most one conditional write per day and credential. */
export interface UseRecorder {
  /**
   * @param secretId undefined if an assertion of its provider authenticated the client.
   * @param day UTC day, e.g. `2026-11-20`.
   */
  recordUse(
    clientId: string,
    secretId: string | undefined,
    day: string,
    options?: PortOptions,
  ): Promise<void>;
}

/** A request for one page of clients, with filters. */
export interface ClientsQuery extends OwnedQuery<Client> {
  /** Issuer of the registered provider that the clients are under. */
  readonly issuer?: string | undefined;
  /** The import that made the clients. */
  readonly importId?: string | undefined;
  /** A secret of the client: at most one client has it, and the whole table is searched for it. */
  readonly secretId?: string | undefined;
}

/** What management needs of clients. */
export type ClientStore = OwnedStore<Client, ClientsQuery>;
