import { createPortalManagement } from '../../adapters/portal-management.ts';
import { readPortalConfig } from '../../adapters/read-config.ts';
import { createSecretReader } from '../../adapters/secrets/secret-reader.ts';
import { readSettings } from '../../contract/read-settings.ts';
import { createPortalHandler } from './function.ts';

const { managementFunction, sessionKeySecret } = readSettings('portal', process.env);

export const handler = createPortalHandler({
  config: readPortalConfig(process.env),
  createManagement: (reports) =>
    createPortalManagement({
      ...reports,
      functionArn: managementFunction,
      environment: process.env,
    }),
  readSecret: createSecretReader(process.env),
  sessionKeySecret,
});
