import type * as v from 'valibot';
import { suggestName } from './nearest-names.ts';
import { ownValue } from './own-value.ts';
import { describeIssues } from './parse-problem.ts';

/** What a schema is made of, as far as keys are concerned. */
interface Node {
  readonly type: string;
  readonly entries?: Readonly<Record<string, Node>>;
  readonly wrapped?: Node;
  readonly item?: Node;
  readonly value?: Node;
}

/** Of values that people write in another form; `*` is any key. */
const examples: Readonly<Record<string, unknown>> = {
  regions: { slc: { awsRegion: 'us-west-2' } },
  'regions.*': { awsRegion: 'us-west-2' },
  domain: {
    name: 'auth.example.com',
    hostedZoneId: 'Z0123456789ABC',
    hostedZoneName: 'example.com',
  },
  scopes: [{ service: 'messaging', permission: 'view', description: 'Read messages' }],
  'scopes.*': { service: 'messaging', permission: 'view', description: 'Read messages' },
  alarmEmails: ['ops@example.com'],
};

function find(schema: Node | undefined, keys: readonly string[]): Node | undefined {
  if (schema?.wrapped !== undefined) return find(schema.wrapped, keys);
  const [key, ...rest] = keys;
  if (schema === undefined || key === undefined) return schema;
  return find(
    (schema.entries && ownValue(schema.entries, key)) ?? schema.item ?? schema.value,
    rest,
  );
}

/** The end of a message about a key that an object of the config may not have. */
function hintAtKeys(schema: Node, path: readonly string[]): string {
  const allowed = Object.keys(find(schema, path.slice(0, -1))?.entries ?? {});
  const nearest = suggestName(path.at(-1) ?? '', allowed);
  return nearest === '' ? `; allowed: ${allowed.join(', ')}` : nearest;
}

/** The end of a message about a value of another type: an example, or the keys of the object. */
function hintAtValue(schema: Node, path: readonly string[]): string {
  const [first = '', second] = path;
  const example = ownValue(examples, second === undefined ? first : `${first}.*`);
  if (path.length <= 2 && example !== undefined) return `, e.g. ${JSON.stringify(example)}`;
  const keys = Object.keys(find(schema, path)?.entries ?? {});
  return keys.length === 0 ? '' : ` with ${keys.join(', ')}`;
}

/**
 * One sentence for each thing that is wrong with a config: the key, the value received and what is
 * allowed, the nearest name, or an example.
 */
export function describeConfigIssues(
  schema: Node,
  issues: readonly v.BaseIssue<unknown>[],
): readonly string[] {
  return issues.map((issue) => {
    const path = issue.path?.map((item) => String(item.key)) ?? [];
    const [text = ''] = describeIssues([issue]);
    if (text.endsWith(': unknown key')) return text + hintAtKeys(schema, path);
    if (!/; expected (?:Object|Array)$/.test(text)) return text;
    return (
      text.replace(/Object$/, 'an object').replace(/Array$/, 'a list') + hintAtValue(schema, path)
    );
  });
}
