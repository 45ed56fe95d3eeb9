import * as v from 'valibot';
import { flag, text } from './read-variables.ts';

/** The environment of the management function. */
export const managementVariables = v.object({
  /** File next to the bundle with what management needs of the deployment config: it is too large for a variable. */
  AUTH_MANAGEMENT_CONFIG: text,
  /** Only the local run sets it. */
  AUTH_ALLOW_LOOPBACK_PROVIDERS: flag,
});
