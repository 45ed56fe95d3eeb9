import { readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import type { Template, TemplateResource } from '../support/template-changes/template.ts';

/*
 * Prints what `cdk import --resource-mapping` reads: which existing resource each retained one of
 * a synthesised template is, and prepares the template for it. See docs/procedures/import-retained-tables.md.
 */

/**
 * By type of what is retained, the property that is its identifier for an import: the
 * `primaryIdentifier` of the type's schema.
 */
const identifiers: Readonly<Record<string, string>> = {
  'AWS::DynamoDB::GlobalTable': 'TableName',
  'AWS::Logs::LogGroup': 'LogGroupName',
  'AWS::Backup::BackupVault': 'BackupVaultName',
  'AWS::Events::EventBus': 'Name',
};

/**
 * What is retained and does not prevent a new stack, which makes its own: CloudFormation makes the
 * role's name, the account's settings are put and not created, and the versions of a function end
 * with the function. Policies are no exception to choose: IAM makes the ARN that identifies one, so
 * no template can name it, and they are deleted before a new stack (docs/deploy.md).
 */
const madeAnew: ReadonlySet<string> = new Set([
  'AWS::IAM::Role',
  'AWS::ApiGateway::Account',
  'AWS::Lambda::Version',
  'AWS::IAM::ManagedPolicy',
]);

function isMadeAnew({ Type, Properties = {} }: TemplateResource): boolean {
  return madeAnew.has(Type) && Properties['RoleName'] === undefined;
}

type ImportMapping = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * @returns the identifier of each retained resource, by its logical id.
 * @throws {Error} for one that no one could find again: of another type, or without a fixed name.
 */
export function importMapping(resources: Template['Resources']): ImportMapping {
  const retained = Object.entries(resources).filter(
    ([, resource]) => resource.DeletionPolicy?.startsWith('Retain') && !isMadeAnew(resource),
  );
  return Object.fromEntries(
    retained.map(([id, { Type, Properties }]) => {
      const property = identifiers[Type];
      const name = Properties?.[property ?? ''];
      if (property === undefined || typeof name !== 'string') {
        throw new Error(
          `${id}: received ${Type} named ${JSON.stringify(name)}; allowed: a fixed name, of ${Object.keys(identifiers).join(', ')}`,
        );
      }
      return [id, { [property]: name }];
    }),
  );
}

/**
 * The template without the order of what is imported. It names resources that do not exist yet, and
 * CloudFormation refuses a template that refers to them.
 */
export function withoutOrder(template: Template, mapping: ImportMapping): Template {
  const resources = Object.entries(template.Resources).map(([id, resource]) => {
    const { DependsOn: _, ...others } = resource;
    return [id, id in mapping ? others : resource] as const;
  });
  return { ...template, Resources: Object.fromEntries(resources) };
}

if (process.argv[1] === import.meta.filename) {
  const command = new Command('node lab/tools/import-mapping.ts');
  const [path = ''] = command.argument('<template>', 'cdk.out/STACK.template.json').parse().args;
  const template = JSON.parse(readFileSync(path, 'utf8')) as Template;
  const mapping = importMapping(template.Resources);
  writeFileSync(path, JSON.stringify(withoutOrder(template, mapping), undefined, 1));
  process.stdout.write(`${JSON.stringify(mapping, undefined, 2)}\n`);
}
