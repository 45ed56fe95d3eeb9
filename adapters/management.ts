import { setTimeout as wait } from 'node:timers/promises';
import {
  managementOperations,
  type OperationName,
  operationOf,
} from '../contract/management/operations.ts';
import type { ManagementAlias, PersonRole } from '../contract/management/roles.ts';
import type { ApiKeyWithUse } from '../core/api-key/api-key.ts';
import type { AuditRecord } from '../core/audit/audit-log.ts';
import type { ClientSecret as StoredClientSecret } from '../core/client/client.ts';
import { CallerRefusedError, InputError } from '../core/errors.ts';
import type { ClientWithUse } from '../core/management/find-client.ts';
import type { ManagementContext } from '../core/management/management-context.ts';
import type { operations } from '../core/management/operations.ts';
import { nameArguments } from '../core/management/requests/read-call.ts';
import { runOperation } from '../core/management/run-operation.ts';
import { limitToTrunkGroups } from '../core/management/trunk-group-limit.ts';
import type { WithoutHashes } from '../core/management/without-hashes.ts';
import type { AwsClientOptions } from './aws-client-options.ts';
import type { Environment } from './aws-json/endpoint.ts';
import { createAskManagement } from './lambda/ask-management.ts';
import type { ManagementOptions } from './management-context.ts';
import { type Asker, FunctionClient, narrowAsker } from './management-function.ts';
import { AwsCallerError, findAwsCallerError } from './sts/authenticate-caller.ts';

export {
  ConflictError,
  IdempotencyKeyReusedError,
  InputError,
  MalformedRecordError,
  NotFoundError,
  RefusedError,
  UnavailableError,
  UncertainConflictError,
  VersionConflictError,
} from '../core/errors.ts';
export { FetchError } from '../core/identity-provider/fetch-json.ts';
export { KeySetError } from '../core/identity-provider/key-lint.ts';
export type { ManagedProvider as IdentityProvider } from '../core/management/provider-reach.ts';
export type { ManagementOptions } from './management-context.ts';
export { AwsCallerError } from './sts/authenticate-caller.ts';

/** An API key without its hash. The days of its last use are only of a key that is shown or listed. Times are seconds since the epoch. */
export type ApiKey = WithoutHashes<ApiKeyWithUse>;
/** A client with its secrets, without their hashes. Times are seconds since the epoch. */
export type Client = WithoutHashes<ClientWithUse>;
/** A secret of a client, without its hash. Times are seconds since the epoch. */
export type ClientSecret = WithoutHashes<StoredClientSecret>;

type Operations = typeof operations;

type Bound<Operation> = Operation extends (
  context: ManagementContext,
  ...rest: infer Rest
) => infer Result
  ? (...rest: Rest) => Promise<WithoutHashes<Awaited<Result>>>
  : never;

export type { OperationName } from '../contract/management/operations.ts';

/** The caller, and what it can access. */
export interface ManagementCaller {
  /**
   * For the audit: the person behind a portal, for instance. The management function accepts a
   * person, `https://issuer#subject`, only from the portal.
   */
  readonly actor?: (() => Promise<string>) | undefined;
  /** The role of that person, which the management function checks. The default is `viewer`. */
  readonly role?: PersonRole | undefined;
  /**
   * The name of that person, recorded for the history and the audit when a change is made. Only if
   * `describeDeployment` says `recordsNames`: a function of 0.2.0 refuses it.
   */
  readonly name?: string | undefined;
  /** The service trunk groups that every operation is limited to. By default there is no limit. */
  readonly trunkGroups?: readonly string[] | undefined;
}

/**
 * The management of one deployment. Times are seconds since the epoch, lifetimes seconds. Every
 * change is written to the audit before it is made. No result contains a hash, or a secret other
 * than the `value` of a resource that was just created.
 *
 * Each operation rejects with
 * - {@link InputError} for a value that is not allowed, of any type; it names the field, and
 *   `field` is its path in the input. A field that is not known is refused;
 * - {@link NotFoundError}, also for a resource of a trunk group that the caller cannot access;
 * - {@link RefusedError} if the rules do not allow it in the present state. {@link KeySetError}
 *   is one;
 * - {@link ConflictError} if another caller changed the same resource. {@link
 *   VersionConflictError} is one, for an `ifVersion` that is not the present version;
 * - {@link FetchError} if a document of an identity provider cannot be fetched;
 * - {@link MalformedRecordError} if a stored item cannot be read;
 * - {@link UnavailableError} if DynamoDB does not answer. A change may have been made;
 * - {@link AwsCallerError} if AWS refuses the caller.
 */
export type Management = { readonly [Name in keyof Operations]: Bound<Operations[Name]> } & {
  /**
   * The same management for another caller. The new limits apply in addition to the present ones.
   */
  readonly forCaller: (caller: ManagementCaller) => Management;
};

/** Converts errors of the SDK, and of the function about its caller, to those of the library. */
async function withOwnErrors<T>(run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof CallerRefusedError) {
      throw new AwsCallerError(error.problem, 'the management function', error.message);
    }
    throw findAwsCallerError(error) ?? error;
  }
}

type RunOperation = (name: OperationName, args: readonly unknown[]) => unknown;

/** The interface over either way to reach the operations. */
function bindOperations(
  run: RunOperation,
  forCaller: (caller: ManagementCaller) => Management,
): Management {
  // Not of the operations themselves, which a bundle of callers would otherwise contain.
  const names = Object.keys(managementOperations) as OperationName[];
  const bound = names.map((name) => [
    name,
    (...args: readonly unknown[]) => withOwnErrors(() => run(name, args)),
  ]);
  return Object.freeze({ ...Object.fromEntries(bound), forCaller }) as Management;
}

function contextFor(context: ManagementContext, { actor, trunkGroups }: Asker): ManagementContext {
  const named = actor === undefined ? context : { ...context, actor };
  return trunkGroups === undefined ? named : limitToTrunkGroups(named, trunkGroups);
}

function bindTables(context: ManagementContext, asker: Asker): Management {
  return bindOperations(
    (name, args) => {
      const input = nameArguments(operationOf(name), args);
      return runOperation(contextFor(context, asker), { operation: name, input }, false);
    },
    (caller) => bindTables(context, narrowAsker(asker, caller)),
  );
}

/** The operations over a context: on the tables. */
export function bindManagement(context: ManagementContext): Management {
  return bindTables(context, {});
}

/** The operations of the management function. */
export function bindFunction(client: FunctionClient, asker: Asker = {}): Management {
  return bindOperations(
    (name, args) => client.call(asker, name, args),
    (caller) => bindFunction(client, narrowAsker(asker, caller)),
  );
}

/** How the deployment's management function is asked. This process may invoke an alias of it. */
export interface ManagementPlace {
  /** @deprecated There is no other way. */
  readonly through?: 'function' | undefined;
  /** The alias to invoke. By default those that may call an operation are tried one by one. */
  readonly alias?: ManagementAlias | undefined;
  /** AWS account of the deployment; the caller's own if left out. */
  readonly account?: string | undefined;
  /** Runs for each record that the function wrote to the audit. */
  readonly onAudited?: ((record: AuditRecord) => Promise<void>) | undefined;
}

function stsEnvironment({ endpointSts }: AwsClientOptions): Environment {
  if (endpointSts === undefined) return process.env;
  return { ...process.env, AWS_ENDPOINT_URL_STS: endpointSts };
}

/** Code of a release before may still ask for the tables. */
function refuseTables({ through }: { readonly through?: unknown }): void {
  if (through === undefined || through === 'function') return;
  throw new InputError(
    `received ${JSON.stringify(through)}; createManagement asks the management function: leave "through" out, and let the caller invoke an alias of the function (docs/upgrade.md)`,
    { field: 'through', label: 'through' },
  );
}

/**
 * The management library of a deployment, through its management function. The web portal calls it.
 *
 * A secret's value is returned once and never again: only its hash is kept.
 *
 * @throws {InputError} for `through: 'tables'`, which a release before had.
 *
 * @example
 * const management = createManagement({ config });
 * const { client } = await management.createClient({ name, serviceTrunkGroup, scopes });
 * const { value } = await management.createClientSecret(client.clientId, {});
 */
export function createManagement(options: ManagementOptions & ManagementPlace): Management {
  refuseTables(options);
  const {
    config,
    aws = {},
    account,
    alias,
    onMalformedRecord,
    onAuditGap,
    onAudited,
    actor,
  } = options;
  const client = new FunctionClient({
    ask: createAskManagement({ config, aws, account, environment: stsEnvironment(aws) }),
    alias,
    onMalformedRecord,
    onAuditGap,
    onAudited,
    wait: async (milliseconds) => wait(milliseconds),
  });
  return bindFunction(client, { actor });
}
