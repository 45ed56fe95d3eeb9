import type * as v from 'valibot';
import { authorizerVariables } from './environments/authorizer.ts';
import { canaryVariables } from './environments/canary.ts';
import { deploymentCheckVariables } from './environments/deployment-check.ts';
import { discoveryVariables } from './environments/discovery.ts';
import { jwksVariables } from './environments/jwks.ts';
import { keyRotationVariables } from './environments/key-rotation.ts';
import { managementVariables } from './environments/management.ts';
import { noticesVariables } from './environments/notices.ts';
import { portalVariables } from './environments/portal.ts';
import { syntheticCheckVariables } from './environments/synthetic-check.ts';
import { tokenVariables } from './environments/token.ts';

/**
 * The environment variables of each function, by name: the stack writes them, the function reads
 * them, both through these schemas. Lists are separated by a space. Times are seconds. Handlers
 * import their own schema, so that no bundle holds the others.
 */
export const environments = {
  token: tokenVariables,
  discovery: discoveryVariables,
  jwks: jwksVariables,
  'key-rotation': keyRotationVariables,
  authorizer: authorizerVariables,
  canary: canaryVariables,
  'deployment-check': deploymentCheckVariables,
  'synthetic-check': syntheticCheckVariables,
  management: managementVariables,
  notices: noticesVariables,
  portal: portalVariables,
} as const;

export type FunctionName = keyof typeof environments;

/** What a function reads: parsed and frozen. */
export type Environment<F extends FunctionName> = Readonly<v.InferOutput<(typeof environments)[F]>>;

/** What the stack writes: strings by variable name. */
export type EnvironmentVariables<F extends FunctionName> = v.InferInput<(typeof environments)[F]>;
