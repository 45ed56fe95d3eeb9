import * as v from 'valibot';
import { flag, list } from './fields.ts';

import * as input from './inputs.ts';

import * as question from './questions.ts';
import * as output from './results.ts';
import type { ManagementAlias, PersonRole } from './roles.ts';
import * as rule from './rules.ts';

/**
 * What a request must carry so that a repetition of it does no harm. All are fields of the last
 * argument.
 *
 * - `key`: an `idempotencyKey`. A repetition finds what the first one created, without its value.
 * - `version`: the `ifVersion` that the caller saw. A repetition is a conflict.
 * - `registration`: the same with `ifRegistration`.
 * - `stop`: nothing for a change that only stops access; a `version` for one that allows it again.
 */
type Guard = 'key' | 'version' | 'registration' | 'stop';

/** What a version or a registration belongs to. It is found by the first argument. */
type Guarded =
  | 'client'
  | 'apiKey'
  | 'provider'
  | 'providerOwner'
  | 'subjectGrants'
  | 'issuerGrants'
  | 'trunkGroup';

export interface ManagementOperation {
  /** The arguments by name, in the order of the library. */
  readonly parameters: Readonly<Record<string, v.GenericSchema>>;
  readonly result: v.GenericSchema;
  /** The aliases that may call it, the usual one first. */
  readonly aliases: readonly ManagementAlias[];
  /** The least role of a person for whom the alias `portal` may call it. */
  readonly person: PersonRole;
  /** The same for a person who is restricted to trunk groups, if it is another one. */
  readonly restrictedPerson?: PersonRole;
  /** Whether it changes something. */
  readonly changes: boolean;
  readonly guards: readonly Guard[];
  readonly guarded?: Guarded;
}

const { clientId } = rule;
const secretId = rule.id('secret');
const keyId = rule.id('apiKey');
const subnetId = rule.id('subnet');
const { issuer, trunkGroup: serviceTrunkGroup } = rule;
const version = v.optional(input.versionOptions);

type Access = Pick<ManagementOperation, 'aliases' | 'person' | 'restrictedPerson' | 'guarded'>;

const clients: Access = {
  aliases: ['client-operator', 'administrator'],
  person: 'manager',
  guarded: 'client',
};
const apiKeys: Access = {
  aliases: ['api-key-operator', 'administrator'],
  person: 'manager',
  guarded: 'apiKey',
};
/** Those of the platform concern every trunk group. A restricted caller can have its own. */
const providers: Access = {
  aliases: ['provider-operator', 'administrator'],
  person: 'administrator',
  restrictedPerson: 'manager',
  guarded: 'provider',
};

const staff: Access = { aliases: ['administrator'], person: 'administrator' };

/** The platform's staff decides what a trunk group may have. */
const limits: Access = { ...staff, guarded: 'trunkGroup' };

function seenBy(...operators: readonly ManagementAlias[]): Access {
  return { aliases: [...operators, 'auditor', 'administrator'], person: 'viewer' };
}

/** A person with trunk groups sees the changes of them. */
const audit: Access = { aliases: ['auditor', 'administrator'], person: 'manager' };

function read<const P, const R>(access: Access, parameters: P, result: R) {
  return { ...access, parameters, result, changes: false, guards: [] } as const;
}

function change<const P, const R, const G extends readonly Guard[]>(
  access: Access,
  parameters: P,
  result: R,
  guards: G,
) {
  return { ...access, parameters, result, changes: true, guards } as const;
}

/** A change of the version that the caller saw. */
function versioned<const P, const R>(access: Access, parameters: P, result: R) {
  return change(access, parameters, result, ['version']);
}

/** A change that may stop access. */
function stopping<const P, const R>(access: Access, parameters: P, result: R) {
  return change(access, parameters, result, ['stop']);
}

/** A change that creates something within what the caller saw. */
function adding<const P, const R>(access: Access, parameters: P, result: R) {
  return change(access, parameters, result, ['key', 'version']);
}

/** Every operation of management. The function, its callers and the portal derive from it. */
export const managementOperations = {
  describeDeployment: read(
    seenBy('client-operator', 'api-key-operator', 'provider-operator'),
    {},
    output.deploymentDescription,
  ),
  createClient: change(clients, { client: input.newClient }, output.createdClient, ['key']),
  // A client is imported once: a repetition finds it.
  importClient: change(
    { ...clients, person: 'administrator' },
    { client: input.importedClient },
    output.createdClient,
    [],
  ),
  findClient: read(seenBy('client-operator'), { clientId }, output.client),
  listClients: read(
    // Before a provider is deleted with its clients, its operator sees which they are.
    seenBy('client-operator', 'provider-operator'),
    { filter: v.optional(input.clientsFilter) },
    output.clientPage,
  ),
  updateClient: versioned(clients, { clientId, changes: input.clientChanges }, output.client),
  setClientEnabled: stopping(clients, { clientId, enabled: flag, options: version }, output.client),
  revokeClientTokens: stopping(clients, { clientId, options: version }, output.client),
  deleteClient: versioned(clients, { clientId, options: version }, output.client),
  createClientSecret: adding(clients, { clientId, secret: input.newSecret }, output.createdSecret),
  rotateClientSecret: adding(
    clients,
    { clientId, secret: input.rotatedSecret },
    output.rotatedSecrets,
  ),
  updateClientSecret: versioned(
    clients,
    { clientId, secretId, changes: input.secretChanges },
    output.secret,
  ),
  disableClientSecret: stopping(clients, { clientId, secretId, options: version }, output.secret),
  enableClientSecret: versioned(clients, { clientId, secretId, options: version }, output.secret),
  deleteClientSecret: versioned(clients, { clientId, secretId, options: version }, v.void()),
  createApiKey: change(apiKeys, { apiKey: input.newApiKey }, output.createdApiKey, ['key']),
  findApiKey: read(seenBy('api-key-operator'), { keyId }, output.apiKey),
  listApiKeys: read(
    seenBy('api-key-operator'),
    { filter: v.optional(input.apiKeysFilter) },
    output.apiKeyPage,
  ),
  updateApiKey: versioned(apiKeys, { keyId, changes: input.apiKeyChanges }, output.apiKey),
  rotateApiKey: adding(apiKeys, { keyId, rotation: input.rotatedApiKey }, output.createdApiKey),
  setApiKeyEnabled: stopping(apiKeys, { keyId, enabled: flag, options: version }, output.apiKey),
  deleteApiKey: versioned(apiKeys, { keyId, options: version }, output.apiKey),
  addSubnet: versioned(apiKeys, { keyId, subnet: input.newSubnet }, output.addedSubnet),
  removeSubnet: versioned(
    apiKeys,
    { keyId, subnetId, options: v.optional(input.removeSubnetOptions) },
    output.apiKey,
  ),
  inspectProvider: read(
    { ...providers, aliases: ['provider-operator', 'auditor', 'administrator'] },
    { discoveryUrl: input.discoveryUrl, options: v.optional(input.inspectOptions) },
    output.providerInspection,
  ),
  // An issuer is registered once: a repetition is refused.
  registerProvider: change(
    providers,
    { discoveryUrl: input.discoveryUrl, options: v.optional(input.registerOptions) },
    output.registeredProvider,
    [],
  ),
  findProvider: read(seenBy('provider-operator', 'client-operator'), { issuer }, output.provider),
  listProviders: read(seenBy('provider-operator'), {}, list(output.provider)),
  listProvidersWithLimits: read(
    seenBy('provider-operator'),
    { serviceTrunkGroups: rule.trunkGroups },
    v.object({
      providers: list(output.provider),
      /** Of the trunk groups that were asked for, in their order. */
      limits: list(output.trunkGroupLimits),
    }),
  ),
  inspectProviderKeys: read(seenBy('provider-operator'), { issuer }, output.providerKeys),
  deleteProvider: change(
    providers,
    { issuer, options: v.optional(input.deleteProviderOptions) },
    output.clientPage,
    ['registration'],
  ),
  setProviderTrunkGroups: versioned(
    { ...providers, guarded: 'providerOwner' },
    { issuer, owners: input.providerTrunkGroups },
    output.provider,
  ),
  findSubjectGrants: read(
    seenBy('client-operator', 'provider-operator'),
    { issuer },
    output.grantList,
  ),
  setSubjectGrant: versioned(
    { ...limits, guarded: 'subjectGrants' },
    { issuer, grant: input.newSubjectGrant },
    output.subjectGrantChange,
  ),
  findIssuerGrants: read(seenBy('provider-operator'), { issuer }, output.grantList),
  setIssuerGrant: versioned(
    { ...limits, guarded: 'issuerGrants' },
    { issuer, grant: input.newIssuerGrant },
    output.grantList,
  ),
  listGrants: read(
    { ...seenBy('client-operator', 'provider-operator'), person: 'administrator' },
    { filter: input.grantsFilter },
    output.grantListPage,
  ),
  checkGrants: read(
    { ...seenBy('provider-operator'), person: 'administrator' },
    { filter: v.optional(input.grantCheckFilter) },
    output.grantCheck,
  ),
  findTrunkGroupLimits: read(
    seenBy('client-operator', 'api-key-operator', 'provider-operator'),
    { serviceTrunkGroup },
    output.trunkGroupLimits,
  ),
  listTrunkGroupLimits: read(
    seenBy(),
    { filter: v.optional(input.limitsFilter) },
    output.trunkGroupLimitsPage,
  ),
  checkTrunkGroupLimits: read(
    seenBy(),
    { serviceTrunkGroup, limits: v.optional(input.proposedLimits) },
    output.limitsCheck,
  ),
  setTrunkGroupLimits: versioned(
    limits,
    { serviceTrunkGroup, limits: input.newLimits },
    output.trunkGroupLimits,
  ),
  setTrunkGroupEnabled: stopping(
    limits,
    { serviceTrunkGroup, enabled: flag, options: v.optional(input.trunkGroupStopOptions) },
    output.trunkGroupMemberPage,
  ),
  explainToken: read(
    seenBy('client-operator'),
    { question: question.tokenQuestion },
    output.tokenExplanation,
  ),
  explainRequest: read(seenBy(), { question: question.requestQuestion }, output.requestExplanation),
  listAudit: read(audit, { filter: v.optional(question.auditFilter) }, output.auditPage),
  listHistory: read(
    audit,
    { id: question.historySubject, filter: v.optional(question.historyFilter) },
    output.historyPage,
  ),
  erasePersonName: change(staff, { subject: rule.person }, v.void(), []),
} as const satisfies Readonly<Record<string, ManagementOperation>>;

/** The name of an operation, as the library and the management function have it. */
export type OperationName = keyof typeof managementOperations;

export function isOperationName(name: string): name is OperationName {
  return Object.hasOwn(managementOperations, name);
}

/** The table with the type that code which handles every operation alike needs. */
export function operationOf(name: OperationName): ManagementOperation {
  return managementOperations[name];
}

/** The least role of a person for an operation. @param isRestricted to trunk groups. */
export function leastRole(
  { person, restrictedPerson = person }: Pick<ManagementOperation, 'person' | 'restrictedPerson'>,
  isRestricted: boolean,
): PersonRole {
  return isRestricted ? restrictedPerson : person;
}

/** What an operation returns, as it arrives. */
export type OperationResult<Name extends OperationName> = v.InferOutput<
  (typeof managementOperations)[Name]['result']
>;

/** What an operation takes as one of its arguments, as it was read. */
export type OperationInput<
  Name extends OperationName,
  Argument extends keyof (typeof managementOperations)[Name]['parameters'],
> = NonNullable<
  v.InferOutput<(typeof managementOperations)[Name]['parameters'][Argument] & v.GenericSchema>
>;
