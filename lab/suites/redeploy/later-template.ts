import type { Template, TemplateResource } from '../../support/template-changes/template.ts';
import { differs } from './difference.ts';

type Properties = Readonly<Record<string, unknown>>;

/** Changes a property of a resource in place. */
type Change = (properties: Properties) => Properties;

function nameStatement({ PolicyDocument, ...rest }: Properties): Properties {
  const { Statement, ...document } = PolicyDocument as { readonly Statement: readonly object[] };
  const [first, ...others] = Statement;
  return {
    ...rest,
    PolicyDocument: { ...document, Statement: [{ ...first, Sid: 'Later' }, ...others] },
  };
}

/** Changes that no config and no code makes, but that a later release of the CDK code could. */
const changes: Readonly<Record<string, Change>> = {
  'AWS::ApiGateway::GatewayResponse': ({ ResponseParameters, ...rest }) => ({
    ...rest,
    ResponseParameters: {
      ...(ResponseParameters as object | undefined),
      'gatewayresponse.header.x-later': "'later'",
    },
  }),
  'AWS::ApiGateway::Method': (properties) => ({ ...properties, OperationName: 'later' }),
  'AWS::IAM::ManagedPolicy': nameStatement,
  'AWS::Lambda::Permission': (properties) => ({
    ...properties,
    SourceAccount: { Ref: 'AWS::AccountId' },
  }),
  'AWS::Logs::MetricFilter': (properties) => ({ ...properties, ApplyOnTransformedLogs: false }),
  'AWS::Route53::RecordSet': ({ AliasTarget, ...rest }) => ({
    ...rest,
    AliasTarget: { ...(AliasTarget as object), EvaluateTargetHealth: true },
  }),
  'AWS::SNS::TopicPolicy': nameStatement,
};

/** One more resource next to one that has only properties that cannot change in place. */
const additions: Readonly<Record<string, Properties>> = {
  'AWS::ApiGateway::BasePathMapping': { BasePath: 'later' },
  'AWS::ApiGateway::Resource': { PathPart: 'later' },
};

function findId(template: Template, type: string): string | undefined {
  return Object.keys(template.Resources).find((id) => template.Resources[id]?.Type === type);
}

/** The CDK gives a deployment of an API another logical id when something in the API changes. */
function renameDeployment(template: Template): Template {
  const id = findId(template, 'AWS::ApiGateway::Deployment');
  if (id === undefined) return template;
  return JSON.parse(JSON.stringify(template).replaceAll(`"${id}"`, `"${id}Later"`)) as Template;
}

/** A template in which a resource of each of these types differs. */
export function makeLater(template: Template): Template {
  const changed = Object.entries(template.Resources).map(
    ([id, resource]): [string, TemplateResource] => {
      const change = changes[resource.Type];
      if (change === undefined) return [id, resource];
      return [id, { ...resource, Properties: change(resource.Properties ?? {}) }];
    },
  );
  const added = Object.entries(additions).flatMap(
    ([type, properties]): [string, TemplateResource][] => {
      const resource = template.Resources[findId(template, type) ?? ''];
      if (resource === undefined) return [];
      const later = { ...resource, Properties: { ...resource.Properties, ...properties } };
      return [[`Later${type.replaceAll(':', '')}`, later]];
    },
  );
  return renameDeployment({ ...template, Resources: Object.fromEntries([...changed, ...added]) });
}

/** How an update from one template to another touches a type: the first resource that it touches. */
export function findTouched(
  from: Template,
  to: Template,
  type: string,
): { readonly logicalId: string; readonly by: 'create' | 'update' } | undefined {
  for (const [logicalId, resource] of Object.entries(to.Resources)) {
    if (resource.Type !== type) continue;
    const before = from.Resources[logicalId];
    if (before === undefined) return { logicalId, by: 'create' };
    if (differs(before, resource)) return { logicalId, by: 'update' };
  }
  return undefined;
}
