import * as v from 'valibot';
import { resolvedSigningKeyPolicySchema } from '../signing-key-policy.ts';
import { json, text } from './read-variables.ts';

/** The environment of the deployment-check function. */
export const deploymentCheckVariables = v.object({
  AUTH_SIGNING_KEYS_TABLE: text,
  /** Name of the function whose live version says what is deployed. */
  AUTH_TOKEN_FUNCTION: text,
  /** JSON: the resolved signing key policy. */
  AUTH_SIGNING_KEY_POLICY: v.pipe(json, resolvedSigningKeyPolicySchema),
});
