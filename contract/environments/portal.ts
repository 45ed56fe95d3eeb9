import * as v from 'valibot';
import { text } from './read-variables.ts';

/** The environment of the portal function. */
export const portalVariables = v.object({
  /** File next to the bundle with the portal of the deployment config: it is too large for a variable. */
  AUTH_PORTAL_CONFIG: text,
  /** ARN of the management function, without an alias. */
  AUTH_MANAGEMENT_FUNCTION: text,
  /** ARN of the secret whose text the keys of sealed cookies are made of. */
  AUTH_SESSION_KEY_SECRET: text,
});
