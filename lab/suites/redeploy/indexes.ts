import assert from 'node:assert/strict';
import type { UpdateTableCommandInput } from '@aws-sdk/client-dynamodb';
import {
  assertIndexes,
  assertListed,
  assertNotListed,
  indexedTables,
  readIndexStatus,
} from '../../ministack/indexes.ts';
import { eventually, say } from '../../ministack/proof.ts';
import { codeBlocks, readPage } from '../../support/markdown.ts';
import { findHarm } from '../../support/template-changes/find-harm.ts';
import type { Template } from '../../support/template-changes/template.ts';
import type { Deployment } from './deployment.ts';
import { awsRegion, type Release, readTemplate, stackName, synthesiseRelease } from './release.ts';

/** The command of docs/upgrade.md that deletes an index, as the SDK sends it. */
function documentedDeletion(): UpdateTableCommandInput {
  const lines = codeBlocks(readPage('docs/upgrade.md')).map(({ lines }) => lines.join(' '));
  const command = lines.find((text) => text.includes('update-table')) ?? '';
  const [, TableName = '', , updates = ''] =
    /--table-name (\S+) (.*)--global-secondary-index-updates '([^']+)'/.exec(command) ?? [];
  const GlobalSecondaryIndexUpdates = JSON.parse(
    updates,
  ) as UpdateTableCommandInput['GlobalSecondaryIndexUpdates'];
  assert.ok(indexedTables.includes(TableName), command);
  return { TableName, GlobalSecondaryIndexUpdates };
}

/** The template with two more indexes of one table. */
function withTwoIndexes(template: Template): Template {
  const text = JSON.stringify(template);
  const [index] = Object.values(template.Resources).flatMap(
    ({ Properties }) => (Properties?.['GlobalSecondaryIndexes'] ?? []) as readonly object[],
  );
  const more = ['first', 'second'].map((IndexName) => JSON.stringify({ ...index, IndexName }));
  return JSON.parse(
    text.replace(JSON.stringify(index), (own) => [own, ...more].join()),
  ) as Template;
}

/**
 * An update from a release without the index that fails late: CloudFormation rolls it back and
 * leaves the indexes behind, the service does not notice, and the next update fails until they are
 * deleted as docs/upgrade.md says.
 */
export async function proveIndexLeftBehind(
  { cloud, stack, service }: Deployment,
  release: Release,
): Promise<void> {
  await assertIndexes(cloud, awsRegion, undefined);
  const assembly = await synthesiseRelease(cloud, 'release', release);
  const template = readTemplate(assembly);
  const aliases = Object.entries(template.Resources).filter(
    ([, { Type, Properties }]) => Type === 'AWS::Lambda::Alias' && Properties?.['Name'] === 'live',
  );
  const [last = ''] = aliases.at(-1) ?? [];
  await service.during(async () => {
    cloud.failNext(last);
    await assert.rejects(cloud.deploy(assembly, stackName), new RegExp(`${last}.*asked for it`));
    assert.equal(await stack.readStatus(), 'UPDATE_ROLLBACK_COMPLETE');
    assert.ok(
      !(await readIndexStatus(cloud, awsRegion)).includes(undefined),
      'an index was not left behind',
    );
    const { status, failed } = await stack.deploy(template);
    assert.equal(status, 'UPDATE_ROLLBACK_COMPLETE');
    assert.match(failed.join('\n'), /create a duplicate index: by-trunk-group/);
    const deletion = documentedDeletion();
    const { dynamodb } = cloud.aws(awsRegion);
    for (const TableName of indexedTables) {
      await dynamodb.updateTable({ ...deletion, TableName });
    }
    await assertIndexes(cloud, awsRegion, undefined);
  });
  say('an update that failed left the indexes behind; the next one needs them deleted');
}

/** After the update, lists are refused until the index is filled. */
export async function proveIndexFilled(deployment: Deployment): Promise<void> {
  const { cloud, stack, authctl } = deployment;
  await assertIndexes(cloud, awsRegion, 'CREATING');
  await assertNotListed(authctl);
  cloud.fillIndexes();
  await eventually(() => assertIndexes(cloud, awsRegion, 'ACTIVE'));
  await assertListed(authctl);
  const { template } = await stack.readState();
  const two = withTwoIndexes(template);
  const [harm] = findHarm(template, two).map(({ what }) => what);
  assert.match(harm ?? '', /2 indexes change; allowed: one in each update/);
  const { failed } = await stack.deploy(two);
  assert.match(failed.join('\n'), /more than one GSI creation or deletion in a single update/);
  await assertIndexes(cloud, awsRegion, 'ACTIVE');
  say(
    'lists of a trunk group are refused until the index is filled; two changes of indexes are refused',
  );
}
