import { describe, expect, it } from 'vitest';
import {
  type KeptDeployment,
  listReleases,
  readRelease,
  templatesOf,
} from '../../lab/support/releases/kept-release.ts';
import { findHarm } from '../../lab/support/template-changes/find-harm.ts';
import type { Template } from '../../lab/support/template-changes/template.ts';
import { synthesise } from './synthesise.ts';

/** What an update from a release needs in the config (docs/upgrade.md). */
const configOf: Readonly<Record<string, object>> = {
  '2648148': { createdWith: '2648148' },
};

/** Resources with a fixed name that a later release removed on purpose, with the reason. */
const removedOnPurpose: readonly { readonly resource: RegExp; readonly reason: string }[] = [
  {
    resource:
      /^MonitoringServiceAlarmssigningkeystandin\w+ AWS::CloudWatch::Alarm, .+: is removed$/,
    reason: 'signing-key-fallback replaces this alarm, with a name of its own',
  },
];

function harmOf(deployment: KeptDeployment, added: object = {}): readonly string[] {
  const { templates } = synthesise({ ...deployment.config, ...added });
  return Object.entries(templatesOf(deployment)).flatMap(([stack, before]) => {
    const after = (templates[stack]?.toJSON() ?? { Resources: {} }) as Template;
    return findHarm(before, after)
      .map(({ logicalId, what }) => `${logicalId} ${what}`)
      .filter((line) => !removedOnPurpose.some(({ resource }) => resource.test(line)))
      .map((line) => `${stack} ${line}`);
  });
}

const deployments = listReleases().flatMap((commit) =>
  Object.entries(readRelease(commit).deployments).map(
    ([name, deployment]) => [commit, name, deployment] as const,
  ),
);

describe('an update of what a release has deployed', () => {
  it('is checked from the first release on', () => {
    expect(listReleases()).toEqual(expect.arrayContaining(['c785603', '2648148']));
  });

  it.each(deployments)(
    'from %s with the config %s keeps what is stateful or has a fixed name',
    (commit, _, deployment) => {
      expect(harmOf(deployment, configOf[commit])).toEqual([]);
    },
  );

  it('from 2648148 needs the key of docs/upgrade.md', () => {
    const { deployments: kept } = readRelease('2648148');
    expect(harmOf(kept['single-region'] as KeptDeployment).join('\n')).toContain(
      'signing-key-operator: is replaced, because of Description',
    );
  });
});
