import { beforeAll, describe, expect, it } from 'vitest';
import { isMissing } from '../../../lab/ministack/leave-out.ts';
import { config } from '../../../lab/suites/redeploy/deployment.ts';
import { compareStacks, describeDifference } from '../../../lab/suites/redeploy/difference.ts';
import { findTouched, makeLater } from '../../../lab/suites/redeploy/later-template.ts';
import type { Template, TemplateResource } from '../../../lab/support/template-changes/template.ts';
import { readConfigFile, synthesise } from '../../lib/synthesise.ts';

function templatesOf(input: unknown): readonly Template[] {
  return Object.values(synthesise(input).templates).map(
    (template) => template.toJSON() as Template,
  );
}

function typesOf(templates: readonly Template[]): readonly string[] {
  const resources = templates.flatMap(({ Resources }) => Object.values(Resources));
  const kept = resources.filter((resource) => !isMissing(resource));
  return [...new Set(kept.map(({ Type }) => Type))].toSorted();
}

describe('the deployment that is updated and fails on the emulator', () => {
  let templates: readonly Template[];
  beforeAll(() => {
    templates = templatesOf(config);
  });

  it.each(['single-region', 'three-regions'])('has every resource type of %s', (example) => {
    const types = typesOf(templates);
    expect(
      typesOf(templatesOf(readConfigFile(example))).filter((type) => !types.includes(type)),
    ).toEqual([]);
  });

  it('has a later version that changes or adds resources, and removes only the deployment of the API', () => {
    const [template] = templates as [Template];
    const later = makeLater(template);
    const gone = Object.keys(template.Resources).filter((id) => !(id in later.Resources));
    expect(gone.map((id) => template.Resources[id]?.Type)).toEqual(['AWS::ApiGateway::Deployment']);
    for (const id of gone) expect(JSON.stringify(later)).not.toContain(`"${id}"`);
    expect(findTouched(template, later, 'AWS::ApiGateway::Resource')).toMatchObject({
      by: 'create',
    });
    expect(findTouched(template, later, 'AWS::ApiGateway::Method')).toMatchObject({ by: 'update' });
    expect(findTouched(template, later, 'AWS::DynamoDB::GlobalTable')).toBeUndefined();
  });
});

describe('what an update did to a stack', () => {
  const resource = (Type: string, value = 1): TemplateResource => ({ Type, Properties: { value } });
  const state = (resources: Readonly<Record<string, readonly [TemplateResource, string]>>) => ({
    template: {
      Resources: Object.fromEntries(Object.entries(resources).map(([id, [one]]) => [id, one])),
    },
    resources: new Map(
      Object.entries(resources).map(([id, [{ Type: type }, physicalId]]) => [
        id,
        { type, physicalId },
      ]),
    ),
  });
  const before = state({
    Same: [resource('Same'), 'same'],
    Changed: [resource('Changed'), 'changed'],
    Replaced: [resource('Replaced'), 'replaced'],
    Gone: [resource('Gone'), 'gone'],
  });

  it('is told by type', () => {
    const after = state({
      Same: [resource('Same'), 'same'],
      Changed: [resource('Changed', 2), 'changed'],
      Replaced: [resource('Replaced', 2), 'another'],
      New: [resource('New'), 'new'],
      Newer: [resource('New'), 'newer'],
    });
    const difference = compareStacks(before, after);
    expect(difference).toEqual({
      added: ['New', 'New'],
      updated: ['Changed'],
      removed: ['Gone'],
      replaced: ['Replaced'],
    });
    expect(describeDifference(difference)).toBe(
      'added: New 2; updated: Changed 1; removed: Gone 1; replaced: Replaced 1',
    );
  });

  it('is nothing if nothing changed', () => {
    expect(describeDifference(compareStacks(before, before))).toBe('nothing changed');
  });
});
