import type { ApiKey as StoredApiKey } from '../core/api-key/api-key.ts';
import type {
  Client as StoredClient,
  ClientSecret as StoredClientSecret,
} from '../core/client/client.ts';
import type { ManagementContext } from '../core/management/management-context.ts';
import { limitToTrunkGroups } from '../core/management/trunk-group-limit.ts';
import { type WithoutHashes, withoutHashes } from '../core/management/without-hashes.ts';
import { findAwsCallerError } from './aws-caller-error.ts';
import { createManagementContext, type ManagementOptions } from './management-context.ts';
import { operations } from './management-operations.ts';

export {
  ConflictError,
  InputError,
  MalformedRecordError,
  NotFoundError,
  RefusedError,
  UnavailableError,
  UncertainConflictError,
  VersionConflictError,
} from '../core/errors.ts';
export { FetchError } from '../core/identity-provider/fetch-json.ts';
export type { IdentityProvider } from '../core/identity-provider/identity-provider.ts';
export { KeySetError } from '../core/identity-provider/key-lint.ts';
export { AwsCallerError } from './aws-caller-error.ts';
export type { ManagementOptions } from './management-context.ts';

export type ApiKey = WithoutHashes<StoredApiKey>;
export type Client = WithoutHashes<StoredClient>;
export type ClientSecret = WithoutHashes<StoredClientSecret>;

type Operations = typeof operations;

type Bound<Operation> = Operation extends (
  context: ManagementContext,
  ...rest: infer Rest
) => infer Result
  ? (...rest: Rest) => Promise<WithoutHashes<Awaited<Result>>>
  : never;

export type OperationName = keyof Operations;

/** The caller, and what it can access. */
export interface ManagementCaller {
  /** For the audit: the person behind a portal, for instance. */
  readonly actor?: (() => Promise<string>) | undefined;
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
export type Management = { readonly [Name in OperationName]: Bound<Operations[Name]> } & {
  /**
   * The same management for another caller. The new limits apply in addition to the present ones.
   */
  readonly forCaller: (caller: ManagementCaller) => Management;
};

/** Converts errors of the SDK to those of the library. */
async function withOwnErrors<T>(run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw findAwsCallerError(error) ?? error;
  }
}

/** The operations over a context. */
export function bindManagement(context: ManagementContext): Management {
  const bound = Object.entries(operations).map(([name, operation]) => {
    const run = operation as (context: ManagementContext, ...rest: readonly unknown[]) => unknown;
    return [
      name,
      async (...rest: readonly unknown[]) =>
        withoutHashes(await withOwnErrors(() => run(context, ...rest))),
    ];
  });
  const forCaller = ({ actor, trunkGroups }: ManagementCaller) => {
    const named = actor === undefined ? context : { ...context, actor };
    return bindManagement(
      trunkGroups === undefined ? named : limitToTrunkGroups(named, trunkGroups),
    );
  };
  return Object.freeze({ ...Object.fromEntries(bound), forCaller }) as Management;
}

/**
 * The management library on a deployment's tables. The web portal calls it.
 *
 *     const management = createManagement({ config, actor: async () => user.email });
 *     const { client } = await management.createClient({ name, serviceTrunkGroup, scopes });
 *     const { value } = await management.createClientSecret(client.clientId, {});
 *
 * A secret's value is returned once and never again: only its hash is kept.
 */
export function createManagement(options: ManagementOptions): Management {
  return bindManagement(createManagementContext(options));
}
