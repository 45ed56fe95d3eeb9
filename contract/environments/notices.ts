import * as v from 'valibot';
import { text } from './read-variables.ts';

/** The environment of the notices function. */
export const noticesVariables = v.object({
  AUTH_DEPLOYMENT_NAME: text,
  AUTH_CLIENTS_TABLE: text,
  AUTH_API_KEYS_TABLE: text,
});
