import * as v from 'valibot';
import { algs } from '../signing-algorithms.ts';
import { resolvedSigningKeyPolicySchema } from '../signing-key-policy.ts';
import { json, list, regionId, text } from './read-variables.ts';

/** The environment of the key-rotation function. */
export const keyRotationVariables = v.object({
  AUTH_ISSUER: text,
  AUTH_REGION_ID: regionId,
  AUTH_SIGNING_KEYS_TABLE: text,
  AUTH_SIGNING_ALGORITHMS: list(v.picklist(algs)),
  /** JSON: the resolved signing key policy. */
  AUTH_SIGNING_KEY_POLICY: v.pipe(json, resolvedSigningKeyPolicySchema),
  /** Constant tag value by which roles select the keys of this deployment. */
  AUTH_DEPLOYMENT_NAME: text,
  /** JSON: the key policy that CreateKey sends. */
  AUTH_KMS_KEY_POLICY: json,
  /** JSON: tags of the config, which each signing key gets. */
  AUTH_KMS_KEY_TAGS: v.pipe(json, v.record(v.string(), v.string())),
  /** Function whose self-test ends a deployment. */
  AUTH_TOKEN_FUNCTION: text,
  /** Function that proves a key before it may sign. */
  AUTH_CANARY_FUNCTION: text,
  AUTH_AUDIT_TABLE: text,
});
