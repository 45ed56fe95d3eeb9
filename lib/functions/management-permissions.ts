import { Stack } from 'aws-cdk-lib';
import { ArnPrincipal } from 'aws-cdk-lib/aws-iam';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import { type DeploymentConfig, deployedRegions } from '../../contract/deployment-config.ts';
import { onlyItems } from '../../contract/list-condition.ts';
import type { ManagementAlias } from '../../contract/management/roles.ts';
import type { RegionId } from '../../contract/regions.ts';
import {
  dailyReportRecordType,
  dailyRunRecordType,
  deployedTableName,
  grantRecordTypes,
  signingKeyRecordTypes,
  trunkGroupIndex,
  trunkGroupLimitsRecordType,
} from '../../contract/tables.ts';
import type { TableArns } from '../data/service-tables.ts';
import { makesDailyRun } from './daily-run.ts';
import type { ServiceFunction } from './service-function.ts';

const change = ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:DeleteItem'];

/** ARNs of the audits of the other regions, which a history reads. */
function otherAudits(fn: ServiceFunction<'management'>, { config, regionId }: OwnRegion): string[] {
  const resourceName = deployedTableName(config, 'audit');
  return deployedRegions(config)
    .filter(({ id }) => id !== regionId)
    .map(({ awsRegion: region }) =>
      Stack.of(fn).formatArn({ service: 'dynamodb', region, resource: 'table', resourceName }),
    );
}

interface OwnRegion {
  readonly config: DeploymentConfig;
  readonly regionId: RegionId;
}

/** What the management function may read and write. */
export function allowManagement(
  fn: ServiceFunction<'management'>,
  tables: TableArns,
  own: OwnRegion,
): void {
  const { clients, apiKeys, identityProviders, signingKeys, audit } = tables;
  fn.allow({
    actions: [...change, 'dynamodb:UpdateItem', 'dynamodb:Scan'],
    resources: clients,
  });
  for (const resources of [apiKeys, identityProviders]) {
    fn.allow({ actions: [...change, 'dynamodb:Scan'], resources });
  }
  const owned = [...clients, ...apiKeys];
  fn.allow({ actions: ['dynamodb:BatchGetItem'], resources: owned });
  fn.allow({
    actions: ['dynamodb:Query'],
    resources: owned.map((arn) => `${arn}/index/${trunkGroupIndex.name}`),
  });
  const grants = Object.values(grantRecordTypes);
  fn.allow({
    actions: ['dynamodb:Query'],
    resources: signingKeys,
    conditions: onlyItems(
      signingKeyRecordTypes.key,
      trunkGroupLimitsRecordType,
      ...grants,
      dailyReportRecordType,
      dailyRunRecordType,
    ),
  });
  const written = makesDailyRun(own) ? [dailyRunRecordType] : [];
  fn.allow({
    actions: ['dynamodb:GetItem', 'dynamodb:PutItem'],
    resources: signingKeys,
    conditions: onlyItems(trunkGroupLimitsRecordType, ...grants, ...written),
  });
  fn.allow({ actions: ['dynamodb:Query', 'dynamodb:PutItem'], resources: audit });
  const others = otherAudits(fn, own);
  if (others.length > 0) fn.allow({ actions: ['dynamodb:Query'], resources: others });
}

/**
 * Lets roles of other accounts invoke an alias, if the config names them for it. In their own
 * account, they also need a policy that allows it.
 */
export function allowOtherAccounts(
  alias: Alias,
  name: ManagementAlias,
  reach: DeploymentConfig['management']['reach'],
): void {
  const arns = reach
    .filter(({ aliases = [] }) => aliases.some((one) => one === name))
    .flatMap(({ principals }) => principals);
  arns.forEach((arn, index) => {
    alias.addPermission(`OtherAccount${index}`, { principal: new ArnPrincipal(arn) });
  });
}
