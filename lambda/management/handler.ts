import { openManagementTables } from '../../adapters/management-context.ts';
import { readDeploymentConfig } from '../../adapters/read-deployment-config.ts';
import { createAuthenticateCaller } from '../../adapters/sts/authenticate-caller.ts';
import { managementVariables } from '../../contract/environments/management.ts';
import { readVariables } from '../../contract/environments/read-variables.ts';
import { createManagementHandler } from './function.ts';

const { AUTH_DEPLOYMENT_CONFIG } = readVariables('management', managementVariables, process.env);

export const handler = createManagementHandler({
  createContext: openManagementTables({
    config: readDeploymentConfig(AUTH_DEPLOYMENT_CONFIG, process.env),
    aws: { profile: 'request' },
  }),
  authenticateCaller: createAuthenticateCaller(process.env),
});
