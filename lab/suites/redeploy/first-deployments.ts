import assert from 'node:assert/strict';
import { tableKeys } from '../../../contract/tables.ts';
import type { Cloud } from '../../ministack/cloud.ts';
import { say } from '../../ministack/proof.ts';
import type { Template } from '../../support/template-changes/template.ts';
import { listKids, listTables, outlivesItsStack } from './deployment.ts';
import { followProcedure } from './procedure.ts';
import { awsRegion, type Release, readTemplate, stackName, synthesiseRelease } from './release.ts';
import { Stack } from './stack.ts';

const page = 'docs/procedures/import-retained-tables.md';
const tableType = 'AWS::DynamoDB::GlobalTable';

/**
 * The first resource of each type; of the tables the last one that is protected, so that a failure
 * leaves others.
 */
function chooseResources({ Resources }: Template): Readonly<Record<string, string>> {
  const chosen: Record<string, string> = {};
  for (const [logicalId, { Type, DeletionPolicy }] of Object.entries(Resources)) {
    if (Type === tableType && DeletionPolicy !== 'Delete') chosen[Type] = logicalId;
    chosen[Type] ??= logicalId;
  }
  return chosen;
}

/** Tables by name and id, and signing keys. */
async function readData(cloud: Cloud, configPath: string): Promise<readonly string[]> {
  const kids = await listKids(cloud.authctl(configPath, awsRegion));
  return [...(await listTables(cloud)).filter(outlivesItsStack), ...kids];
}

/**
 * First deployments that fail, one at a resource of each type. Each starts with what the one before
 * has left. In the end, the procedure's commands deploy the service with the tables and the signing
 * keys of the failed attempts.
 */
export async function proveFailedFirstDeployments(cloud: Cloud, release: Release): Promise<void> {
  const assembly = await synthesiseRelease(cloud, 'first', release);
  const stack = new Stack(cloud);
  const template = readTemplate(assembly);
  const { [tableType]: lastTable = '', ...others } = chooseResources(template);

  cloud.failNext(lastTable);
  await assert.rejects(cloud.deploy(assembly, stackName), new RegExp(`${lastTable}.*asked for it`));
  assert.equal(await stack.readStatus(), 'ROLLBACK_FAILED');
  say(`${tableType}: ROLLBACK_FAILED, because the tables are protected`);
  await assert.rejects(
    cloud.deploy(assembly, stackName),
    /cannot be deleted while TerminationProtection is enabled/,
  );
  say('cdk deploy again: refused, because the failed stack is protected');
  await stack.allowDeletion();
  await assert.rejects(cloud.deploy(assembly, stackName), /already exists/);
  say('cdk deploy without an import: refused, because tables exist');
  for (const [type, logicalId] of Object.entries(others)) {
    if (template.Resources[logicalId]?.DeletionPolicy === 'Retain') {
      say(`${type}: stays after the first failure, and each later deployment imports it`);
      continue;
    }
    cloud.failNext(logicalId);
    const { status, failed } = await stack.deploy(template, { importExisting: true });
    assert.match(status, /^ROLLBACK_/);
    assert.ok(
      failed.some((reason) => reason.startsWith(`${logicalId}: `)),
      failed.join('\n'),
    );
    say(`${type}: ${status}`);
  }
  const configPath = cloud.writeConfig(release.config);
  const data = await readData(cloud, configPath);
  assert.ok(data.length > tableKeys.length, 'no failed deployment has created a signing key');
  await followProcedure(cloud, page, {
    CDK_APP: assembly.directory,
    CDK_REQUIRE_APPROVAL: 'never',
    AUTHCTL_CONFIG: configPath,
  });
  assert.deepEqual(await readData(cloud, configPath), data);
  say('the service has the tables and the signing keys of the failed deployments');
}
