import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import threeRegions from '../../../config/three-regions.json' with { type: 'json' };
import { parseDeploymentConfig } from '../../../contract/deployment-config.ts';
import { addAuthorizationServer } from '../../../lib/authorization-server.ts';
import { formatColumns } from '../../support/generated-parts.ts';
import { synthesisePlatformApi } from '../../support/platform-api.ts';
import { portalConfig } from '../../support/portal-config.ts';
import { type DescribedRole, describeOperators, describeRoles } from './describe-roles.ts';

const context = { 'aws:cdk:disable-stack-trace': true };

/** Every option that adds a permission. */
const options = { kmsSignQuota: 2000, federatedClients: {}, portal: portalConfig };

type Resources = Parameters<typeof describeRoles>[0];

/** References as `{LogicalId}` and their attributes as `{LogicalId}.Arn`. */
function evaluate(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(evaluate);
  if (typeof value !== 'object' || value === null) return value;
  const [[name, argument] = [], ...others] = Object.entries(value);
  if (others.length === 0 && name === 'Ref') return `{${String(argument)}}`;
  if (others.length === 0 && name === 'Fn::GetAtt') return `{${(argument as string[]).join('}.')}`;
  if (others.length === 0 && name === 'Fn::Join') {
    const [separator, parts] = argument as [string, readonly unknown[]];
    return parts.map(evaluate).join(separator);
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, evaluate(item)]));
}

function resourcesOf(template: Template): Resources {
  return evaluate(template.toJSON()['Resources']) as Resources;
}

/** One region of the example of three, which has every optional part, and the portal. */
function synthesiseService(bundles: string) {
  const config = parseDeploymentConfig({ ...threeRegions, ...options });
  const { regions, portal } = addAuthorizationServer(new App({ context }), config, { bundles });
  if (regions.slc === undefined || portal === undefined) {
    throw new Error('the example has no region slc');
  }
  return {
    region: resourcesOf(Template.fromStack(regions.slc)),
    portal: resourcesOf(Template.fromStack(portal)),
  };
}

function formatRoles(roles: readonly DescribedRole[], head: string): string {
  return formatColumns(roles, {
    [head]: ({ name }) => name.replace(/^authorization-server-slc-/, ''),
    purpose: ({ purpose }) => purpose,
    may: ({ may }) => may,
  });
}

/**
 * The generated parts of docs/roles.md.
 *
 * @param bundles folder of the function bundles.
 */
export function computeRoleTables(bundles: string): Readonly<Record<string, string>> {
  const { region, portal } = synthesiseService(bundles);
  const roles = [region, portal, resourcesOf(synthesisePlatformApi(bundles))].flatMap(
    describeRoles,
  );
  return {
    roles: formatRoles(roles, 'role'),
    operators: formatRoles(describeOperators(region), 'policy'),
  };
}
