import type { OperationName, OperationResult } from '../../contract/management/operations.ts';
import * as apiKeys from './api-keys.ts';
import * as secrets from './client-secrets.ts';
import * as clients from './clients.ts';
import * as creation from './create-client.ts';
import { describeDeployment } from './describe-deployment.ts';
import { explainRequest } from './explain-request.ts';
import { explainToken } from './explain-token.ts';
import * as grants from './grants/grant-lists.ts';
import { checkGrants } from './grants/grant-lists.ts';
import { listAudit, listHistory } from './list-changes.ts';
import type { ManagementContext } from './management-context.ts';
import { erasePersonName } from './person-names.ts';
import * as providers from './providers/identity-providers.ts';
import { inspectProvider, inspectProviderKeys } from './providers/inspect-provider.ts';
import { registerProvider } from './providers/register-provider.ts';
import { setProviderTrunkGroups } from './providers/set-provider-trunk-groups.ts';
import { checkTrunkGroupLimits } from './trunk-group-limits/check-limits.ts';
import * as limits from './trunk-group-limits/limits-record.ts';
import { setTrunkGroupEnabled } from './trunk-group-limits/trunk-group-stop.ts';

/**
 * The operations that a portal or `authctl` can call, as their callers see them; `Management` says
 * which errors all have. A comment at the function itself says only what its callers need not know.
 */
export const operations = {
  /**
   * What a caller needs to know of the deployment: its scopes, bounds of token lifetimes in
   * seconds, and issuer.
   *
   * @example const { scopes: offered } = await management.describeDeployment();
   */
  describeDeployment,
  /**
   * Creates a client without secrets. `existed` says that an earlier call with the same
   * idempotency key did.
   *
   * @throws {RefusedError} if its provider is not registered, or has this client already.
   * @example const { client } = await management.createClient({ name, serviceTrunkGroup, scopes });
   */
  createClient: creation.createClient,
  /**
   * Creates a client with its id and its secret of another provider; the secret ends. `existed` says
   * that an earlier call with this secret did.
   *
   * @throws {RefusedError} if the config has no `clientImport`, or another secret was imported.
   * @example await management.importClient({ clientId, secret, name, serviceTrunkGroup, scopes });
   */
  importClient: creation.importClient,
  /**
   * Reads a client with its secrets, without their values.
   *
   * @throws {NotFoundError} if there is none.
   * @example const client = await management.findClient(clientId);
   */
  findClient: clients.getClient,
  /**
   * One page of clients, at most 500, in no order that means something. `nextCursor` is missing on
   * the last one. What was created or renamed may be missing for some seconds.
   *
   * @example const { items, nextCursor } = await management.listClients({ trunkGroup, cursor });
   */
  listClients: clients.listClients,
  /**
   * Changes the given fields of a client. Issued tokens keep their claims until they expire.
   *
   * @throws {VersionConflictError} if another version is stored than the caller gave.
   * @example await management.updateClient(clientId, { name });
   */
  updateClient: clients.updateClient,
  /**
   * Disables a client, which then gets no tokens, or enables it again. Issued tokens stay valid
   * until they expire.
   *
   * @example await management.setClientEnabled(clientId, false);
   */
  setClientEnabled: clients.setClientEnabled,
  /**
   * Refuses, at checks that look up clients, every token that was issued before now. It takes about
   * four seconds.
   *
   * @example await management.revokeClientTokens(clientId);
   */
  revokeClientTokens: clients.revokeClientTokens,
  /**
   * Deletes a client with its secrets, and returns it as it was.
   *
   * @throws {ConflictError} if it was changed in the meantime.
   * @example await management.deleteClient(clientId);
   */
  deleteClient: clients.deleteClient,
  /**
   * Creates a secret. Its `value` is returned once; `expiresAt` is seconds since the epoch.
   *
   * @throws {RefusedError} if the client has too many, or is under a provider.
   * @example const { value } = await management.createClientSecret(clientId, { name, expiresAt });
   */
  createClientSecret: secrets.createClientSecret,
  /**
   * Creates a secret and lets all others of the client expire after `overlap` seconds, in one
   * write.
   *
   * @example const { value, expired } = await management.rotateClientSecret(clientId, { overlap:
   *   604_800 });
   */
  rotateClientSecret: secrets.rotateClientSecret,
  /**
   * Renames a secret or moves its expiry; `expiresAt: null` is never.
   *
   * @throws {RefusedError} if it has expired: it cannot be extended.
   * @example await management.updateClientSecret(clientId, secretId, { expiresAt: null });
   */
  updateClientSecret: secrets.updateClientSecret,
  /**
   * Disables one secret: it authenticates no more. Others of the client do.
   *
   * @example await management.disableClientSecret(clientId, secretId);
   */
  disableClientSecret: secrets.disableClientSecret,
  /**
   * Enables a disabled secret.
   *
   * @example await management.enableClientSecret(clientId, secretId);
   */
  enableClientSecret: secrets.enableClientSecret,
  /**
   * Deletes a secret.
   *
   * @throws {NotFoundError} if the client does not have it.
   * @example await management.deleteClientSecret(clientId, secretId);
   */
  deleteClientSecret: secrets.deleteClientSecret,
  /**
   * Creates an API key. Its `value` is returned once. Without `subnets`, every address may use it.
   *
   * @example const { key, value } = await management.createApiKey({ name, serviceTrunkGroup });
   */
  createApiKey: apiKeys.createApiKey,
  /**
   * Reads an API key, without its value.
   *
   * @throws {NotFoundError} if there is none.
   * @example const key = await management.findApiKey(keyId);
   */
  findApiKey: apiKeys.showApiKey,
  /**
   * One page of API keys, at most 500.
   *
   * @example const { items } = await management.listApiKeys({ trunkGroup });
   */
  listApiKeys: apiKeys.listApiKeysWithUse,
  /**
   * Gives an API key another value, which is returned once. The old one works for `overlap` seconds
   * more.
   *
   * @throws {RefusedError} if the key is disabled or has expired.
   * @example const { value } = await management.rotateApiKey(keyId, { overlap: 7 * 86_400 });
   */
  rotateApiKey: apiKeys.rotateApiKey,
  /**
   * Changes the given fields of an API key; `expiresAt: null` is never.
   *
   * @throws {RefusedError} if it has expired: it cannot be extended.
   * @example await management.updateApiKey(keyId, { expiresAt });
   */
  updateApiKey: apiKeys.updateApiKey,
  /**
   * Disables an API key, which then stops working, or enables it again.
   *
   * @example await management.setApiKeyEnabled(keyId, false);
   */
  setApiKeyEnabled: apiKeys.setApiKeyEnabled,
  /**
   * Deletes an API key, and returns it as it was.
   *
   * @example await management.deleteApiKey(keyId);
   */
  deleteApiKey: apiKeys.deleteApiKey,
  /**
   * Lets one more subnet use an API key. With the first one, no other address can use it.
   *
   * @throws {RefusedError} if the key has it already.
   * @example await management.addSubnet(keyId, { name: 'office', address: '203.0.113.0/24' });
   */
  addSubnet: apiKeys.addSubnet,
  /**
   * Removes a subnet of an API key. The last one only with `allowAnySource`.
   *
   * @throws {RefusedError} for the last one without it.
   * @example await management.removeSubnet(keyId, subnetId, { allowAnySource: true });
   */
  removeSubnet: apiKeys.removeSubnet,
  /**
   * Fetches what a registration would, and decides about `tokens`. Changes nothing.
   *
   * @throws {FetchError} if a document cannot be fetched.
   * @example const { registrable, problem } = await management.inspectProvider(discoveryUrl);
   */
  inspectProvider,
  /**
   * Registers an identity provider from its discovery document. Its tokens are then accepted for
   * clients under it.
   *
   * @throws {FetchError} if a document cannot be fetched.
   * @throws {KeySetError} if its keys cannot be used.
   * @example const { provider } = await management.registerProvider(discoveryUrl);
   */
  registerProvider,
  /**
   * Reads a registered provider.
   *
   * @throws {NotFoundError} if there is none.
   * @example const provider = await management.findProvider(issuer);
   */
  findProvider: providers.findProvider,
  /**
   * Every registered provider that the caller can see.
   *
   * @example const providers = await management.listProviders();
   */
  listProviders: providers.listProviders,
  /**
   * The same with the limits of some trunk groups, in one call.
   *
   * @example const { limits } = await management.listProvidersWithLimits([serviceTrunkGroup]);
   */
  listProvidersWithLimits: providers.listProvidersWithLimits,
  /**
   * The keys of a provider at present, and those that were left out with the reason.
   *
   * @example const keys = await management.inspectProviderKeys(issuer);
   */
  inspectProviderKeys,
  /**
   * Deletes a provider, with `cascade` after the clients under it, page by page.
   *
   * @throws {RefusedError} if there are clients under it, without `cascade`.
   * @example await management.deleteProvider(issuer, { cascade: true });
   */
  deleteProvider: providers.deleteProvider,
  /**
   * Says for which trunk groups a provider of their own is. None: the platform takes it over.
   *
   * @example await management.setProviderTrunkGroups(issuer, { trunkGroups: [serviceTrunkGroup] });
   */
  setProviderTrunkGroups,
  /**
   * Which client ids at a provider are granted to which trunk groups.
   *
   * @example const { grants } = await management.findSubjectGrants(issuer);
   */
  findSubjectGrants: grants.findSubjectGrants,
  /**
   * Grants client ids at a provider to trunk groups; none withdraws the grant.
   *
   * @throws {RefusedError} if a client of another trunk group has such an id and `clients` does not
   * decide about it.
   * @example await management.setSubjectGrant(issuer, { value: 'repo:acme/', trunkGroups });
   */
  setSubjectGrant: grants.setSubjectGrant,
  /**
   * Which trunk groups may register an issuer, or those below its path.
   *
   * @example const { grants } = await management.findIssuerGrants(issuer);
   */
  findIssuerGrants: grants.findIssuerGrants,
  /**
   * Lets trunk groups register an issuer; none withdraws it.
   *
   * @example await management.setIssuerGrant(issuer, { trunkGroups });
   */
  setIssuerGrant: grants.setIssuerGrant,
  /**
   * One page of the grants of a kind.
   *
   * @example const { items } = await management.listGrants({ kind: 'subject' });
   */
  listGrants: grants.listGrants,
  /**
   * Clients whose ids at a provider are not granted to their trunk group, page by page.
   *
   * @example const { items } = await management.checkGrants({ issuer });
   */
  checkGrants,
  /**
   * The limits of a trunk group. A limit that is left out does not exist.
   *
   * @example const { maxClients } = await management.findTrunkGroupLimits(serviceTrunkGroup);
   */
  findTrunkGroupLimits: limits.findTrunkGroupLimits,
  /**
   * One page of the trunk groups that have limits.
   *
   * @example const { items } = await management.listTrunkGroupLimits();
   */
  listTrunkGroupLimits: limits.listTrunkGroupLimits,
  /**
   * What a trunk group has above its limits, or above proposed ones. Changes nothing.
   *
   * @example const { excesses } = await management.checkTrunkGroupLimits(trunkGroup, limits);
   */
  checkTrunkGroupLimits,
  /**
   * Replaces the limits of a trunk group as a whole. What exists above them stays.
   *
   * @throws {RefusedError} if the caller is restricted to trunk groups.
   * @example await management.setTrunkGroupLimits(serviceTrunkGroup, { maxClients: 20 });
   */
  setTrunkGroupLimits: limits.setTrunkGroupLimits,
  /**
   * Stops a trunk group, or resumes it: its record, or one page of its members. See
   * `authctl trunk-group stop`, which repeats passes until one finds nothing.
   *
   * @example await management.setTrunkGroupEnabled(serviceTrunkGroup, false, { members: 'clients' });
   */
  setTrunkGroupEnabled,
  /**
   * Why a token request would be granted or refused, step by step. Issues no token.
   *
   * @example const { granted, steps } = await management.explainToken({ clientId });
   */
  explainToken,
  /**
   * Which rule accepts or refuses a bearer credential.
   *
   * @example const { accepted, rule } = await management.explainRequest({ credential });
   */
  explainRequest,
  /**
   * One page of the changes of a UTC day in this region, the newest first.
   *
   * @example const { items } = await management.listAudit({ day: '2026-11-21' });
   */
  listAudit,
  /**
   * Every change of one thing over days, in all regions, page by page.
   *
   * @example const { items } = await management.listHistory(clientId, { since: '2026-11-01' });
   */
  listHistory,
  /**
   * Erases the name of a person, `https://issuer#subject`. It is never recorded again.
   *
   * @throws {RefusedError} if the caller is restricted to trunk groups.
   * @example await management.erasePersonName('https://login.example.com#ada');
   */
  erasePersonName,
} as const satisfies {
  readonly [Name in OperationName]: (
    context: ManagementContext,
    ...args: never
  ) => OperationResult<Name> | Promise<OperationResult<Name>>;
};
