import assert from 'node:assert/strict';
import { say } from '../../ministack/proof.ts';
import type { Template } from '../../support/template-changes/template.ts';
import {
  assertKept,
  type Deployment,
  listLiveVersions,
  listStatefulResources,
} from './deployment.ts';
import { findTouched, makeLater } from './later-template.ts';
import { deployRelease, type Release, readTemplate, synthesiseRelease } from './release.ts';

/** Everything that a failed update must leave as it was. */
async function readState(deployment: Deployment) {
  return {
    stack: await deployment.stack.readState(),
    versions: await listLiveVersions(deployment),
  };
}

/** Two versions of the stack; an update goes from one to the other. */
interface Versions {
  readonly earlier: Template;
  readonly later: Template;
}

/**
 * The two templates differ in a resource of every type: code, config and what only a later version
 * of the CDK code changes.
 */
async function synthesiseVersions(
  { cloud }: Deployment,
  [first, second]: readonly [Release, Release],
): Promise<Versions> {
  const { config } = second;
  const before: Release = {
    bundles: first.bundles,
    config: { ...config, apiGatewayLogRole: 'existing' },
  };
  const after: Release = {
    bundles: second.bundles,
    config: {
      ...config,
      signingAlgorithms: ['RS256', 'ES256'],
      alarmEmails: [...(config.alarmEmails ?? []), 'second@example.com'],
      tags: { ...config.tags, release: '2' },
    },
  };
  const earlier = await synthesiseRelease(cloud, 'earlier', before);
  const later = await synthesiseRelease(cloud, 'later', after);
  return { earlier: readTemplate(earlier), later: makeLater(readTemplate(later)) };
}

async function deployTemplate({ stack }: Deployment, template: Template): Promise<void> {
  assert.deepEqual(await stack.deploy(template), { status: 'UPDATE_COMPLETE', failed: [] });
}

/** An update that fails at one resource, and the same update once more. */
async function failAndRepeat(
  deployment: Deployment,
  logicalId: string,
  target: Template,
): Promise<void> {
  const before = await readState(deployment);
  deployment.cloud.failNext(logicalId);
  const outcome = await deployment.stack.deploy(target);
  assert.equal(outcome.status, 'UPDATE_ROLLBACK_COMPLETE', outcome.failed.join('\n'));
  assert.match(outcome.failed.join('\n'), new RegExp(`^${logicalId}: .+ asked for it$`));
  assert.deepEqual(await readState(deployment), before);
  await deployTemplate(deployment, target);
}

/**
 * Fails an update once at a resource of each type of the templates. Each time, the stack is rolled
 * back, the client notices nothing, and the same update succeeds without any other step.
 */
export async function proveFailedUpdates(
  deployment: Deployment,
  releases: readonly [Release, Release],
): Promise<void> {
  const { earlier, later } = await synthesiseVersions(deployment, releases);
  const stateful = await listStatefulResources(deployment);
  await deployment.service.during(() => deployTemplate(deployment, earlier));
  let [current, target] = [earlier, later];
  const swap = () => {
    [current, target] = [target, current];
  };
  const resources = [earlier, later].flatMap((template) => Object.values(template.Resources));
  for (const type of [...new Set(resources.map((resource) => resource.Type))].toSorted()) {
    if (findTouched(current, target, type) === undefined) {
      await deployment.service.during(() => deployTemplate(deployment, target));
      swap();
    }
    const touched = findTouched(current, target, type);
    assert.ok(touched, `no update touches ${type}: add a change of it to later-template.ts`);
    const tokens = await deployment.service.during(() =>
      failAndRepeat(deployment, touched.logicalId, target),
    );
    say(`${type}, ${touched.by}: rolled back, then deployed; ${tokens} tokens meanwhile`);
    swap();
  }
  await assertKept(deployment, stateful);
}

/**
 * With `cdk deploy`: a release whose token function cannot start, and then one that is repaired. No
 * alias moves to the broken code.
 */
export async function proveBrokenRelease(
  deployment: Deployment,
  { broken, repaired }: { readonly broken: Release; readonly repaired: Release },
): Promise<void> {
  const { cloud, stack, service } = deployment;
  const before = await readState(deployment);
  const tokens = await service.during(async () => {
    await assert.rejects(
      deployRelease(cloud, broken),
      /Custom::FirstSigningKey .* the token function fails each time: .+ release 4 is broken/,
    );
    assert.equal(await stack.readStatus(), 'UPDATE_ROLLBACK_COMPLETE');
    assert.deepEqual(await readState(deployment), before);
    await deployRelease(cloud, repaired);
  });
  say(
    `cdk deploy of a broken token function: rolled back, then repaired; ${tokens} tokens meanwhile`,
  );
}
