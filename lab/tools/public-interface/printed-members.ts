import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseSync } from 'oxc-parser';

/** A part of a syntax tree, as the parser has it. */
interface SyntaxNode {
  readonly type: string;
  readonly key?: { readonly name?: string };
  readonly value?: SyntaxNode;
  readonly id?: { readonly name?: string };
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value;
}

function childrenOf(node: SyntaxNode): readonly SyntaxNode[] {
  return Object.values(node)
    .flatMap((value: unknown) => (Array.isArray(value) ? (value as unknown[]) : [value]))
    .filter(isNode);
}

/** Members of what is printed are written in snake case, and no others. */
const member = /^[a-z][a-z0-9_]*$/;

/** Members of the objects below a node. What a call is given is not printed. */
function membersBelow(node: SyntaxNode): readonly string[] {
  if (node.type === 'CallExpression') {
    return childrenOf(node).flatMap((child) =>
      child.type === 'ArrowFunctionExpression' ? membersBelow(child) : [],
    );
  }
  const own = node.type === 'Property' ? (node.key?.name ?? '') : '';
  const below = childrenOf(node).flatMap(membersBelow);
  return member.test(own) ? [own, ...below] : below;
}

/** Whether a node makes what is printed: `json` and `view` of an output, or a function `view…`. */
function isView(node: SyntaxNode): boolean {
  if (node.type === 'Property') return node.key?.name === 'json' || node.key?.name === 'view';
  return node.type === 'FunctionDeclaration' && /^view[A-Z]/.test(node.id?.name ?? '');
}

function viewedMembers(node: SyntaxNode): readonly string[] {
  if (!isView(node)) return childrenOf(node).flatMap(viewedMembers);
  return (
    node.type === 'Property' && node.value !== undefined ? [node.value] : childrenOf(node)
  ).flatMap(membersBelow);
}

/**
 * Members of what `authctl --json` prints, each after the command group whose files have it.
 *
 * @param groups names of the command groups: a file belongs to the longest that its name begins with.
 */
export function printedMembers(root: string, groups: readonly string[]): readonly string[] {
  const files = globSync(['cli/**/*.ts', 'core/management/*.ts'], { cwd: root });
  const groupOf = (file: string) =>
    groups
      .filter((group) => basename(file).startsWith(group))
      .toSorted((a, b) => b.length - a.length)[0];
  const lines = files.flatMap((file) => {
    const group = groupOf(file);
    if (group === undefined) return [];
    const { program } = parseSync(file, readFileSync(join(root, file), 'utf8'));
    return viewedMembers(program as unknown as SyntaxNode).map((name) => `${group} ${name}`);
  });
  return [...new Set(lines)];
}
