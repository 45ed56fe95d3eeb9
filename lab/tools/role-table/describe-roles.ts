/** A statement of a policy, with the names that `evaluate` made of references. */
interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

interface Resource {
  readonly Type: string;
  readonly Properties: {
    readonly Roles?: readonly string[];
    readonly RoleName?: string;
    readonly ManagedPolicyName?: string;
    readonly Description?: string;
    readonly ManagedPolicyArns?: readonly string[];
    readonly PolicyDocument?: { readonly Statement: readonly Statement[] };
  };
}

export interface DescribedRole {
  readonly name: string;
  readonly purpose: string;
  readonly may: string;
}

const listed = (value: unknown): readonly string[] => [value].flat() as readonly string[];

const code = (text: string) => `\`${text}\``;

/** `authorization-server-signing-keys` of an ARN or a logical id → `signing-keys`. */
function shortName(resource: string): string {
  // A secret's ARN ends with six random characters.
  const secret = /:secret:(.+)-\w{6}$/.exec(resource)?.[1];
  if (secret !== undefined) return secret;
  const path = /(?:table|function)[/:]authorization-server-(.+)$/.exec(resource)?.[1];
  if (path !== undefined) return path;
  const [key = ''] = /(?:^\*|\bkey\/.+)$/.exec(resource) ?? [];
  if (key !== '') return key;
  // `{AuditTableB07F8EEB}.Arn`: the last eight characters are a hash.
  const [, id = '', part = ''] = /^\{(\w+)[0-9A-F]{8}\}(?:\.\w+)?(\/.+)?/.exec(resource) ?? [];
  const words = id.replaceAll(/(?:^Functions|Table$|Handler$)/g, '').replaceAll(/\B[A-Z]/g, '-$&');
  return words.toLowerCase() + part;
}

/** Statements that every function has, and that the page says once. */
function isCommon({ Action }: Statement): boolean {
  return listed(Action).every((action) => /^(?:logs|xray):/.test(action));
}

/** Values of a condition key, with any operator. */
function valuesOf({ Condition = {} }: Statement, key: string): readonly string[] {
  const operators = Object.entries(Condition).filter(([operator]) => operator !== 'Null');
  return operators.flatMap(([, keys]) => (key in keys ? listed(keys[key]) : []));
}

/** Other conditions, each with what it compares with. That a list must be there is not said. */
function otherConditions({ Condition = {} }: Statement): readonly string[] {
  const shown = ['dynamodb:LeadingKeys', 'dynamodb:Attributes', 'lambda:SourceFunctionArn'];
  return Object.entries(Condition).flatMap(([operator, keys]) =>
    Object.entries(keys)
      .filter(([key]) => !shown.includes(key))
      .map(([key, value]) => {
        const values = operator === 'Null' ? ['there'] : listed(value);
        const name = operator.endsWith('IfExists') ? `${key}?` : key;
        return `${name} = ${values.join(' ')}`;
      }),
  );
}

/** Whether it also counts for code outside the function that has the role. */
function isUnbound(statement: Statement): boolean {
  const isAllowed = statement.Effect === 'Allow';
  return isAllowed && valuesOf(statement, 'lambda:SourceFunctionArn').length === 0;
}

function describeConditions(statement: Statement): string {
  const conditions = Object.entries({
    'only the items': valuesOf(statement, 'dynamodb:LeadingKeys'),
    'only the attributes': valuesOf(statement, 'dynamodb:Attributes'),
    with: otherConditions(statement),
  }).filter(([, names]) => names.length > 0);
  return conditions.map(([what, names]) => `${what} ${names.map(code).join(', ')}`).join(', ');
}

function describeStatement(statement: Statement): string {
  const actions = listed(statement.Action).map(code).join(', ');
  const names = listed(statement.Resource).map(shortName).filter(Boolean);
  const conditions = describeConditions(statement);
  return [
    statement.Effect === 'Deny' ? `**never** ${actions}` : actions,
    ...(names.length > 0 ? [` on ${[...new Set(names)].map(code).join(', ')}`] : []),
    ...(conditions === '' ? [] : [` (${conditions})`]),
  ].join('');
}

function describeStatements(statements: readonly Statement[]): readonly string[] {
  return statements.filter((one) => !isCommon(one)).map(describeStatement);
}

/**
 * What each role of a template may do.
 *
 * @param resources of the template, evaluated.
 */
export function describeRoles(
  resources: Readonly<Record<string, Resource>>,
): readonly DescribedRole[] {
  const all = Object.entries(resources);
  const statementsOf = (id: string) =>
    all
      .filter(([, { Type, Properties }]) => {
        return Type === 'AWS::IAM::Policy' && (Properties.Roles ?? []).includes(`{${id}}`);
      })
      .flatMap(([, { Properties }]) => Properties.PolicyDocument?.Statement ?? []);
  return all
    .filter(([, { Type }]) => Type === 'AWS::IAM::Role')
    .map(([id, { Properties }]) => {
      const statements = statementsOf(id);
      const unbound = statements.filter((one) => !isCommon(one) && isUnbound(one));
      const policies = [
        ...(Properties.ManagedPolicyArns ?? []).map(
          (arn) => `AWS's policy ${code(arn.slice(arn.lastIndexOf('/') + 1))}`,
        ),
        ...describeStatements(statements),
        ...(unbound.length > 0 ? [`**${unbound.length} of these from any code**`] : []),
      ];
      return {
        name: Properties.RoleName ?? id.slice(0, -8),
        purpose: Properties.Description ?? '',
        may: policies.join('; ') || 'nothing else',
      };
    });
}

/** What each managed policy of a template allows. */
export function describeOperators(
  resources: Readonly<Record<string, Resource>>,
): readonly DescribedRole[] {
  return Object.values(resources)
    .filter(({ Type }) => Type === 'AWS::IAM::ManagedPolicy')
    .map(({ Properties }) => ({
      name: Properties.ManagedPolicyName ?? '',
      purpose: Properties.Description ?? '',
      may: describeStatements(Properties.PolicyDocument?.Statement ?? []).join('; '),
    }));
}
