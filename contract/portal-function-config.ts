import type { DeploymentConfig } from './deployment-config.ts';
import type { PeopleMapping, PortalConfig } from './portal-config.ts';

/** Name of the file next to the portal function's bundle. */
export const portalConfigFile = 'portal.json';

/** What the portal function needs to know of a deployment. */
export type PortalFunctionConfig = Omit<PortalConfig, 'people'> & {
  readonly people: PeopleMapping;
};

/** The file that the stack puts next to the portal function's bundle. */
export function formatPortalConfig(
  portal: PortalConfig,
  { portalReach }: DeploymentConfig['management'],
): string {
  const people = { ...portal.people, administrators: portalReach?.administrators ?? false };
  return `${JSON.stringify({ ...portal, people } satisfies PortalFunctionConfig, undefined, 2)}\n`;
}
