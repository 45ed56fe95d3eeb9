import * as v from 'valibot';
import { json, regionId, text, wholeNumber } from './read-variables.ts';

/** The environment of the canary function. */
export const canaryVariables = v.object({
  AUTH_REGION_ID: regionId,
  AUTH_SIGNING_KEYS_TABLE: text,
  /** JSON object: region id → address of the JWKS as that region serves it. */
  AUTH_REGIONAL_JWKS_URIS: v.pipe(json, v.record(regionId, text)),
  /** Tag value that a key must have to be published. */
  AUTH_DEPLOYMENT_NAME: text,
  /** JSON: the policy that a key must have to be published. */
  AUTH_KMS_KEY_POLICY: json,
  AUTH_LEEWAY: wholeNumber,
});
