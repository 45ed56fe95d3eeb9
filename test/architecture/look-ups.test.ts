import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { type Expression, parseSync, Visitor } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { root, shippedFiles } from './source-files.ts';

/** Names of these files are a closed set: a type of this project, not a text of a caller. */
const closedSets: readonly string[] = [
  'adapters/aws-json/aws-json-client.ts: protocols',
  'adapters/dynamodb/items/item.ts: from',
  'adapters/dynamodb/stores/check-tables.ts: tables',
  'contract/deployment-config-combinations.ts: config',
  'core/federated/assertion-request.ts: texts',
];

const openType = /\bRecord<string,|\[\w+: string\]:/;

/** Tables of literals of a module whose type allows any text as a name. */
function openTables(
  text: string,
): readonly { readonly name: string; readonly isExported: boolean }[] {
  return parseSync('file.ts', text).program.body.flatMap((statement) => {
    const isExported = statement.type === 'ExportNamedDeclaration';
    const declaration = isExported ? statement.declaration : statement;
    if (declaration?.type !== 'VariableDeclaration') return [];
    return declaration.declarations.flatMap(({ id, init }) => {
      if (id.type !== 'Identifier' || init?.type !== 'ObjectExpression') return [];
      const { start = 0, end = 0 } = id.typeAnnotation ?? {};
      return openType.test(text.slice(start, end)) ? [{ name: id.name, isExported }] : [];
    });
  });
}

/** A text whose type says less, or more, than it is. */
function isUnchecked(name: Expression): boolean {
  if (name.type === 'TSAsExpression' || name.type === 'TSNonNullExpression') return true;
  return (
    name.type === 'CallExpression' &&
    name.callee.type === 'Identifier' &&
    name.callee.name === 'String'
  );
}

/** Look-ups that find what each object inherits. */
function unsafeLookUps(text: string, tables: ReadonlySet<string>): readonly string[] {
  const found: string[] = [];
  new Visitor({
    MemberExpression: (node) => {
      if (!node.computed || node.property.type === 'Literal') return;
      const { object, property } = node;
      const name = text.slice(object.start, object.end);
      if (tables.has(name) || isUnchecked(property)) found.push(name);
    },
    BinaryExpression: ({ operator, left, right }) => {
      const isFixed = left.type === 'Literal';
      if (operator === 'in' && !isFixed) found.push(text.slice(right.start, right.end));
    },
  }).visit(parseSync('file.ts', text).program);
  return found;
}

describe('a look-up by a text', () => {
  const files = shippedFiles().map((file) => [relative(root, file), readFileSync(file, 'utf8')]);
  const exported = files
    .flatMap(([, text = '']) => openTables(text))
    .filter(({ isExported }) => isExported);

  it('goes through ownValue or a Map', () => {
    const unsafe = files.flatMap(([file = '', text = '']) => {
      const tables = [...exported, ...openTables(text)].map(({ name }) => name);
      return unsafeLookUps(text, new Set(tables)).map((name) => `${file}: ${name}`);
    });
    expect(unsafe.toSorted()).toEqual(closedSets);
  });
});
