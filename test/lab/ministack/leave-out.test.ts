import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { isMissing, leaveOut } from '../../../lab/ministack/leave-out.ts';
import type { TemplateResource } from '../../../lab/support/template-changes/template.ts';
import { readConfigFile, synthesise } from '../../lib/synthesise.ts';

type Json = { readonly Resources: Record<string, TemplateResource> };

const examples = ['single-region', 'three-regions'] as const;
const templates: Record<string, Record<string, Template>> = {};
beforeAll(() => {
  for (const example of examples) {
    templates[example] = { ...synthesise(readConfigFile(example)).templates };
  }
});

function each(example: string): readonly Json[] {
  return Object.values(templates[example] ?? {}).map((template) => template.toJSON() as Json);
}

describe.each(examples)('what a deployment of %s to the emulator leaves out', (example) => {
  it('is the resources that the emulator lacks, and no other', () => {
    for (const before of each(example)) {
      const after = leaveOut(before);
      const gone = Object.keys(before.Resources).filter((id) => !(id in after.Resources));
      const missing = Object.entries(before.Resources).filter(([, found]) => isMissing(found));
      expect(gone).toEqual(missing.map(([id]) => id));
    }
  });

  it('changes of another resource no more than its references to those', () => {
    for (const before of each(example)) {
      const after = leaveOut(before);
      const gone = Object.keys(before.Resources).filter((id) => !(id in after.Resources));
      for (const [id, resource] of Object.entries(after.Resources)) {
        const text = JSON.stringify(before.Resources[id]);
        if (!gone.some((missing) => text.includes(`"${missing}"`))) {
          expect(resource).toEqual(before.Resources[id]);
        }
      }
    }
  });

  it('leaves no reference to what is gone', () => {
    for (const before of each(example)) {
      const after = leaveOut(before);
      const text = JSON.stringify(after);
      for (const id of Object.keys(before.Resources)) {
        if (!(id in after.Resources)) expect(text).not.toContain(`"${id}"`);
      }
    }
  });
});

describe('a template that the emulator can deploy', () => {
  it('is left as it is', () => {
    const template = {
      Resources: {
        Topic: { Type: 'AWS::SNS::Topic', DependsOn: ['Role'] },
        Role: { Type: 'AWS::IAM::Role', Properties: { RoleName: 'Topic' }, UpdatePolicy: {} },
      },
    };
    expect(leaveOut(template)).toEqual(template);
  });
});
