import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Template, TemplateResource } from '../support/template-changes/template.ts';

/** Resource types that MiniStack does not have; one of them fails the whole stack. */
const missingTypes: readonly string[] = [
  'AWS::Backup::BackupSelection',
  'AWS::CodeDeploy::Application',
  'AWS::CodeDeploy::DeploymentGroup',
  'AWS::Events::EventBusPolicy',
  'AWS::Route53::HealthCheck',
  'AWS::WAFv2::LoggingConfiguration',
  'AWS::WAFv2::WebACLAssociation',
];

/** Whether the emulator cannot make a resource: its type is missing, or it is a math alarm. */
export function isMissing(resource: TemplateResource): boolean {
  if (missingTypes.includes(resource.Type)) return true;
  return resource.Type === 'AWS::CloudWatch::Alarm' && 'Metrics' in (resource.Properties ?? {});
}

/** Leaves out of a template what the emulator lacks, and what refers to that, and nothing else. */
export function leaveOut<T extends Template>(template: T): T {
  const missing = new Set(
    Object.entries(template.Resources)
      .filter(([, resource]) => isMissing(resource))
      .map(([id]) => id),
  );
  if (missing.size === 0) return template;
  const kept = Object.entries(template.Resources).filter(([id]) => !missing.has(id));
  return {
    ...template,
    Resources: withoutReferences(Object.fromEntries(kept), missing) as T['Resources'],
  };
}

/** A reference to a resource that is not there: as `Ref`, `Fn::GetAtt` or in `DependsOn`. */
function isReference(value: unknown, missing: ReadonlySet<string>): boolean {
  if (typeof value === 'string') return missing.has(value);
  if (typeof value !== 'object' || value === null) return false;
  if ('Ref' in value) return missing.has(String(value.Ref));
  return 'Fn::GetAtt' in value && missing.has(String((value['Fn::GetAtt'] as unknown[])[0]));
}

function withoutReferences(value: unknown, missing: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) {
    return value
      .filter((item) => !isReference(item, missing))
      .map((item) => withoutReferences(item, missing));
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    // The alias of a function is moved by CodeDeploy or, without it, at once.
    .filter(([key, item]) => !isReference(item, missing) && key !== 'UpdatePolicy')
    .map(([key, item]) => [key, withoutReferences(item, missing)]);
  return Object.fromEntries(entries);
}

/** Changes the templates of an assembly. @returns the types that are not in them any more. */
export function leaveOutOfAll(assembly: string): readonly string[] {
  const templates = readdirSync(assembly).filter((file) => file.endsWith('.template.json'));
  const types = templates.flatMap((name) => {
    const path = join(assembly, name);
    const before = JSON.parse(readFileSync(path, 'utf8')) as Template;
    const after = leaveOut(before);
    if (after !== before) writeFileSync(path, JSON.stringify(after));
    return Object.entries(before.Resources)
      .filter(([id]) => !(id in after.Resources))
      .map(([, resource]) => resource.Type);
  });
  return [...new Set(types)].toSorted();
}
