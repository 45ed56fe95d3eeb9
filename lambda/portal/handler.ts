import { createPortalManagement } from '../../adapters/portal-management.ts';
import { readPortalConfig } from '../../adapters/read-config.ts';
import { createSecretReader } from '../../adapters/secrets/secret-reader.ts';
import { portalVariables } from '../../contract/environments/portal.ts';
import { readVariables } from '../../contract/environments/read-variables.ts';
import { createPortalHandler } from './function.ts';

const { AUTH_PORTAL_CONFIG, AUTH_MANAGEMENT_FUNCTION, AUTH_SESSION_KEY_SECRET } = readVariables(
  'portal',
  portalVariables,
  process.env,
);

export const handler = createPortalHandler({
  config: readPortalConfig(AUTH_PORTAL_CONFIG, process.env),
  createManagement: (reports) =>
    createPortalManagement({
      ...reports,
      functionArn: AUTH_MANAGEMENT_FUNCTION,
      environment: process.env,
    }),
  readSecret: createSecretReader(process.env),
  sessionKeySecret: AUTH_SESSION_KEY_SECRET,
});
