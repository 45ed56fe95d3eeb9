import type { DeploymentConfig } from '../deployment-config.ts';

const keys = [
  'name',
  'tablesName',
  'issuer',
  'domain',
  'regions',
  'defaultAudience',
  'accessTokenType',
  'federatedClients',
  'providerKeyFiles',
  'clientKeys',
  'clientImport',
  'dpop',
  'tokenLifetime',
  'fairShare',
  'scopes',
  'ignoredScopes',
  'signingKeyPolicy',
  'management',
] as const satisfies readonly (keyof DeploymentConfig)[];

/** What management needs to know of a deployment. */
export type ManagementConfig = Pick<DeploymentConfig, (typeof keys)[number]>;

/** The file that the stack puts next to the management function's bundle. */
export function formatManagementConfig(config: DeploymentConfig): string {
  const managementConfig = Object.fromEntries(keys.map((key) => [key, config[key]]));
  return `${JSON.stringify(managementConfig, undefined, 2)}\n`;
}
