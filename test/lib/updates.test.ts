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

/** Resources with a fixed name that a later release removed on purpose, with the reason. */
const removedOnPurpose: readonly { readonly resource: RegExp; readonly reason: string }[] = [];

function harmOf(deployment: KeptDeployment): readonly string[] {
  const { templates } = synthesise(deployment.config);
  return Object.entries(templatesOf(deployment)).flatMap(([stack, before]) => {
    const after = (templates[stack]?.toJSON() ?? { Resources: {} }) as Template;
    return findHarm(before, after)
      .map(({ logicalId, what }) => `${logicalId} ${what}`)
      .filter((line) => !removedOnPurpose.some(({ resource }) => resource.test(line)))
      .map((line) => `${stack} ${line}`);
  });
}

const deployments = listReleases().flatMap((version) =>
  Object.entries(readRelease(version).deployments).map(
    ([name, deployment]) => [version, name, deployment] as const,
  ),
);

describe('an update of what a release has deployed', () => {
  it('is checked from the first release on', () => {
    expect(listReleases()).toContain('0.2.0');
  });

  it.each(deployments)(
    'from %s with the config %s keeps what is stateful or has a fixed name',
    (_version, _name, deployment) => {
      expect(harmOf(deployment)).toEqual([]);
    },
  );
});
