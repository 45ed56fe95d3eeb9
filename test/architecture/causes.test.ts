import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { root, shippedFiles } from './source-files.ts';

/** Handlers that lose an error on purpose, and why. */
const exceptions: Readonly<Record<string, string>> = {
  'adapters/aws-json/aws-json-client.ts: makes AwsServiceError':
    'the error of the parser quotes the body',
  'adapters/cloudformation/send-answer.ts: makes UnavailableError':
    'the message has its code, and the error could contain a presigned URL',
  'core/client/client-key.ts: makes InputError': 'the error of the parser may quote the key',
  'core/key-rotation/execute-action.ts: ends SigningKeyUnusableError':
    'a key that KMS does not have is out of use, as was asked',
  'core/management/api-keys.ts: ends UnavailableError':
    'a key is shown without the day, which decides nothing',
  'lambda/key-rotation/function.ts: ends UnavailableError':
    'an emergency goes on without the name of its caller',
};

interface Handler {
  /** Name of the caught error; undefined if the handler does not take it. */
  readonly error: string | undefined;
  readonly body: string;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Handlers of `catch` clauses, and functions that are passed to `.catch()`. */
function handlersOf(text: string): readonly Handler[] {
  const handlers: (Span & { readonly error: string | undefined })[] = [];
  const add = (param: object | null | undefined, { start, end }: Span) => {
    const error = param && 'name' in param ? String(param.name) : undefined;
    handlers.push({ error, start, end });
  };
  new Visitor({
    CatchClause: ({ param, body }) => add(param, body),
    CallExpression: ({ callee, arguments: [handler] }) => {
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return;
      if (callee.property.name !== 'catch') return;
      if (handler?.type === 'ArrowFunctionExpression') add(handler.params[0], handler.body);
    },
  }).visit(parseSync('file.ts', text).program);
  return handlers.map(({ error, start, end }) => {
    // An inner handler is one of its own.
    const inner = handlers.filter((other) => other.start > start && other.end < end);
    const body = inner.reduceRight(
      (rest, span) => rest.slice(0, span.start - start) + rest.slice(span.end - start),
      text.slice(start, end),
    );
    return { error, body: withoutComments(body) };
  });
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}

/** What operators typed has no cause in AWS. */
const onlyInput = /!\(\w+ instanceof InputError\)\) throw/;

/** Errors that mean that AWS refused a call or did not answer. */
const ofAws = /instanceof (UnavailableError|ServiceUnavailableError|SigningKeyUnusableError)\b/;

/** What a handler does with the error instead of keeping it; undefined if it keeps it. */
function findLoss({ error, body }: Handler): string | undefined {
  const made = /\bnew (\w+Error|\w+Refusal)\(/.exec(body)?.[1];
  const ended = ofAws.exec(body)?.[1];
  if (onlyInput.test(body) || (made === undefined && ended === undefined)) return undefined;
  const used = body
    .replaceAll(/\w+ instanceof [\w.]+/g, '')
    .replaceAll(/\bthrow \w+;/g, '')
    // Text of a message says what a person reads. A new error also needs the old one.
    .replaceAll(made === undefined ? /(?!)/g : /\b\w+\.(?:message|name|code)\b|'\w+' in \w+/g, '');
  const keeps = error !== undefined && new RegExp(`\\b${error}\\b`).test(used);
  if (keeps) return undefined;
  const rethrows = /(?<!\) )throw \w+;\s*\}$/.test(body) && !/\breturn\b/.test(body);
  if (made === undefined && rethrows) return undefined;
  return made === undefined ? `ends ${ended}` : `makes ${made}`;
}

describe('an error of AWS', () => {
  it('keeps its name and request id when another error or a result takes its place', () => {
    const lost = shippedFiles()
      .map((file) => [relative(root, file), readFileSync(file, 'utf8')] as const)
      // The portal shows what management says.
      .filter(([file]) => !file.startsWith('portal/'))
      .flatMap(([file, text]) =>
        handlersOf(text)
          .map(findLoss)
          .filter((loss) => loss !== undefined)
          .map((loss) => `${file}: ${loss}`),
      );
    expect(lost.toSorted()).toEqual(Object.keys(exceptions).toSorted());
  });
});
