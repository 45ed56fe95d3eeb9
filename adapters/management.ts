import { setTimeout as wait } from 'node:timers/promises';
import type { ManagementAlias } from '../contract/management/roles.ts';
import type { AwsClientOptions } from './aws-client-options.ts';
import type { Environment } from './aws-json/endpoint.ts';
import { bindFunction, type Management } from './bind-management.ts';
import { createAskManagement } from './lambda/ask-management.ts';
import { createSdkCaller } from './lambda/invoke-function.ts';
import { FunctionClient } from './management-function.ts';
import type { ManagementOptions } from './management-tables.ts';

export type { OperationName } from '../contract/management/operations.ts';
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
export type { Page as ListedPage } from '../core/management/list-query.ts';
export type { ManagedProvider as IdentityProvider } from '../core/management/providers/provider-reach.ts';
export {
  type ApiKey,
  bindFunction,
  bindManagement,
  type Client,
  type ClientSecret,
  type Management,
  type ManagementCaller,
} from './bind-management.ts';
export type { ManagementOptions } from './management-tables.ts';
export { AwsCallerError } from './sts/authenticate-caller.ts';

/** How the deployment's management function is asked. This process may invoke an alias of it. */
export interface ManagementPlace {
  /** The alias to invoke. By default those that may call an operation are tried one by one. */
  readonly alias?: ManagementAlias | undefined;
  /** AWS account of the deployment; the caller's own if left out. */
  readonly account?: string | undefined;
}

function stsEnvironment({ endpointSts }: AwsClientOptions): Environment {
  if (endpointSts === undefined) return process.env;
  return { ...process.env, AWS_ENDPOINT_URL_STS: endpointSts };
}

/**
 * The management library of a deployment, through its management function. The web portal calls it.
 *
 * A secret's value is returned once and never again: only its hash is kept.
 *
 * @example
 * const management = createManagement({ config });
 * const { client } = await management.createClient({ name, serviceTrunkGroup, scopes });
 * const { value } = await management.createClientSecret(client.clientId, {});
 */
export function createManagement(options: ManagementOptions & ManagementPlace): Management {
  const { config, aws = {}, account, actor } = options;
  const client = new FunctionClient({
    ...options,
    ask: createAskManagement({
      config,
      account,
      caller: createSdkCaller(aws),
      environment: stsEnvironment(aws),
      proxy: aws.proxy,
    }),
    wait: async (milliseconds) => wait(milliseconds),
  });
  return bindFunction(client, { actor });
}
