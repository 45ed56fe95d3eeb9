import { onlyItems } from '../../contract/list-condition.ts';
import {
  signingKeyRecordTypes,
  trunkGroupIndex,
  trunkGroupLimitsRecordType,
} from '../../contract/tables.ts';
import type { TableArns } from '../data/service-tables.ts';
import type { ServiceFunction } from './service-function.ts';

const change = ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:DeleteItem'];

/** What the management function may read and write. */
export function allowManagement(fn: ServiceFunction<'management'>, tables: TableArns): void {
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
  fn.allow({
    actions: ['dynamodb:Query'],
    resources: signingKeys,
    conditions: onlyItems(signingKeyRecordTypes.key, trunkGroupLimitsRecordType),
  });
  fn.allow({
    actions: ['dynamodb:GetItem', 'dynamodb:PutItem'],
    resources: signingKeys,
    conditions: onlyItems(trunkGroupLimitsRecordType),
  });
  fn.allow({ actions: ['dynamodb:Query', 'dynamodb:PutItem'], resources: audit });
}
