import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { type BindingPattern, type ParamPattern, parseSync, Visitor } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { root, shippedFiles } from './source-files.ts';

/** They say what part a value has in a sentence, not what it holds. */
const parts: ReadonlySet<string> = new Set(['asked', 'given', 'under', 'wanted']);

/** Names that a declaration or a parameter introduces. */
function namesOf(pattern: BindingPattern | ParamPattern): readonly string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name];
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) =>
        namesOf(property.type === 'RestElement' ? property.argument : property.value),
      );
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => (element === null ? [] : namesOf(element)));
    case 'AssignmentPattern':
      return namesOf(pattern.left);
    case 'RestElement':
      return namesOf(pattern.argument);
    case 'TSParameterProperty':
      return namesOf(pattern.parameter);
    default:
      return [];
  }
}

function variablesOf(text: string): readonly string[] {
  const names: string[] = [];
  const addParameters = ({ params }: { readonly params: readonly ParamPattern[] }) =>
    names.push(...params.flatMap(namesOf));
  new Visitor({
    VariableDeclarator: ({ id }) => names.push(...namesOf(id)),
    FunctionDeclaration: addParameters,
    FunctionExpression: addParameters,
    ArrowFunctionExpression: addParameters,
  }).visit(parseSync('file.ts', text).program);
  return names;
}

describe('a variable', () => {
  it('has the name of what it holds', () => {
    const wrong = shippedFiles().flatMap((file) =>
      variablesOf(readFileSync(file, 'utf8'))
        .filter((name) => parts.has(name))
        .map((name) => `${relative(root, file)}: ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it('is found in each form of a declaration', () => {
    const text = `const { a: asked, ...given } = of(([under] = [], wanted?: string) => under);`;
    expect(variablesOf(text).toSorted()).toEqual(['asked', 'given', 'under', 'wanted']);
  });
});

/** Functions, with the type that they say to return. */
function returnTypesOf(text: string): readonly (readonly [name: string, type: string])[] {
  const found: [string, string][] = [];
  new Visitor({
    FunctionDeclaration: ({ id, returnType }) => {
      if (id === null || returnType === null || returnType === undefined) return;
      found.push([id.name, text.slice(returnType.start, returnType.end)]);
    },
  }).visit(parseSync('file.ts', text).program);
  return found;
}

describe('a function that is named get', () => {
  // Whether one that is named find can find nothing is often in a type of another file.
  it('does not return undefined', () => {
    const wrong = shippedFiles().flatMap((file) =>
      returnTypesOf(readFileSync(file, 'utf8'))
        .filter(([name, type]) => /^get[A-Z]/.test(name) && /\bundefined\b/.test(type))
        .map(([name]) => `${relative(root, file)}: ${name}`),
    );
    expect(wrong).toEqual([]);
  });
});
