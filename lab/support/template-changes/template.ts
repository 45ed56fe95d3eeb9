/** A CloudFormation template, as far as the suites read it. */
export interface Template {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Outputs?: Readonly<Record<string, unknown>>;
}

export interface TemplateResource {
  readonly Type: string;
  readonly DeletionPolicy?: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly [attribute: string]: unknown;
}

/** Logical ids that a value refers to, by `Ref`, `Fn::GetAtt` or `Fn::Sub`. */
export function findReferences(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(findReferences);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, argument]) => {
    if (key === 'Ref') return [String(argument)];
    if (key === 'Fn::GetAtt') return [String(Array.isArray(argument) ? argument[0] : argument)];
    if (key === 'Fn::Sub') return [...findSubstitutions(argument), ...findReferences(argument)];
    return findReferences(argument);
  });
}

/** `${Table.Arn}` → `Table` */
function findSubstitutions(argument: unknown): readonly string[] {
  const text = String(Array.isArray(argument) ? argument[0] : argument);
  return [...text.matchAll(/\$\{([^!.}]+)/g)].map(([, id = '']) => id);
}
