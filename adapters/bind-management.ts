import {
  managementOperations,
  type OperationName,
  operationOf,
} from '../contract/management/operations.ts';
import type { ApiKeyWithUse } from '../core/api-key/api-key.ts';
import type {
  Client as StoredClient,
  ClientSecret as StoredClientSecret,
} from '../core/client/client.ts';
import { CallerRefusedError } from '../core/errors.ts';
import { restrictToTrunkGroups } from '../core/management/caller-reach.ts';
import type { ManagementContext } from '../core/management/management-context.ts';
import type { operations } from '../core/management/operations.ts';
import { nameArguments } from '../core/management/requests/read-call.ts';
import { runOperation } from '../core/management/run-operation.ts';
import type { Shown } from '../core/management/without-hashes.ts';
import { type FunctionClient, type ManagementCaller, narrowAsker } from './management-function.ts';

export type { ManagementCaller } from './management-function.ts';

import { AwsCallerError, findAwsCallerError } from './sts/authenticate-caller.ts';

/** An API key without its hash. The days of its last use are only of a key that is shown or listed. Times are seconds since the epoch. */
export type ApiKey = Shown<ApiKeyWithUse>;
/** A client with its secrets, without their hashes. Times are seconds since the epoch. */
export type Client = Shown<StoredClient>;
/** A secret of a client, without its hash. Times are seconds since the epoch. */
export type ClientSecret = Shown<StoredClientSecret>;

type Operations = typeof operations;

type Bound<Operation> = Operation extends (
  context: ManagementContext,
  ...rest: infer Rest
) => infer Result
  ? (...rest: Rest) => Promise<Shown<Awaited<Result>>>
  : never;

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
   * The same management for another caller. The new reach applies in addition to the present one.
   */
  readonly forCaller: (caller: ManagementCaller) => Management;
};

/** Converts errors of the SDK, and of the function about its caller, to those of the library. */
async function withOwnErrors<T>(run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof CallerRefusedError) {
      const { problem, message } = error;
      throw new AwsCallerError(problem, 'the management function', message, { cause: error });
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

function contextFor(
  context: ManagementContext,
  { actor, trunkGroups }: ManagementCaller,
): ManagementContext {
  const named = actor === undefined ? context : { ...context, actor };
  return trunkGroups === undefined ? named : restrictToTrunkGroups(named, trunkGroups);
}

function bindTables(context: ManagementContext, asker: ManagementCaller): Management {
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
export function bindFunction(client: FunctionClient, asker: ManagementCaller = {}): Management {
  return bindOperations(
    (name, args) => client.call(asker, name, args),
    (caller) => bindFunction(client, narrowAsker(asker, caller)),
  );
}
