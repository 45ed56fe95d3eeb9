import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { parse, stringify } from 'yaml';
import {
  type ErrorText,
  OAuthError,
  type OAuthErrorReason,
  oauthErrorTexts,
} from '../../core/oauth-error.ts';
import { refusalForms } from '../../core/verifier/bearer-refusal.ts';
import { formatColumns, writeParts } from '../support/generated-parts.ts';

new Command('npm run refusals')
  .description(
    'Writes docs/refusals.md: each reason with what the caller sees and what ends it. Its bodies also go into docs/openapi.yaml.',
  )
  .parse();

interface Shown {
  readonly status: number;
  readonly code: string | undefined;
}

interface Form extends Shown {
  readonly description: string | undefined;
  readonly remedy: string;
  readonly atGateway?: Shown;
}

/** A reason of docs/refusals.md. */
interface Entry {
  readonly name: string;
  /** The heading: the name, with more if both parts have one. */
  readonly title: string;
  readonly form: Form;
}

function formatCode({ status, code }: Shown): string {
  return [status, ...(code === undefined ? [] : [`\`${code}\``])].join(' ');
}

function formatReason({ title, form }: Entry): string {
  const { description, remedy, atGateway } = form;
  const wire = formatCode(form);
  const response = description === undefined ? wire : `${wire}, “${description}”`;
  const other = atGateway && ` Behind the API Gateway authorizer: ${formatCode(atGateway)}.`;
  return `### ${title}\n\n${response}. ${remedy}${other ?? ''}`;
}

function byName(a: Entry, b: Entry): number {
  return a.name < b.name ? -1 : 1;
}

/** Links to the reasons, by what the caller sees. */
function formatOverview(parts: Readonly<Record<string, readonly Entry[]>>): string {
  const link = (title: string) =>
    `[${title}](#${title.toLowerCase().replaceAll(' ', '-').replaceAll(/[()]/g, '')})`;
  const rows = Object.entries(parts).flatMap(([from, entries]) => {
    const byCode = Map.groupBy(entries, ({ form }) => formatCode(form));
    return [...byCode]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([code, same]) => ({ from, code, links: same.map(({ title }) => link(title)) }));
  });
  return formatColumns(rows, {
    from: ({ from }) => from,
    'the caller sees': ({ code }) => code,
    reasons: ({ links }) => links.join(', '),
  });
}

/** The parts of docs/refusals.md. */
export function computeRefusals(): Readonly<Record<string, string>> {
  const token = (Object.keys(oauthErrorTexts) as readonly OAuthErrorReason[])
    .map((name): Entry => {
      const { status } = new OAuthError(name);
      return { name, title: name, form: { ...oauthErrorTexts[name], status } };
    })
    .sort(byName);
  const api = Object.entries(refusalForms)
    .map(([name, form]): Entry => {
      const title = Object.hasOwn(oauthErrorTexts, name) ? `${name} (platform API)` : name;
      return { name, title, form };
    })
    .sort(byName);
  return {
    overview: formatOverview({ 'token endpoint': token, 'platform API': api }),
    token: token.map(formatReason).join('\n\n'),
    api: api.map(formatReason).join('\n\n'),
  };
}

interface Description {
  readonly components: {
    readonly responses: Readonly<Record<string, { readonly content?: Content } | undefined>>;
  };
}

type Content = Readonly<Record<string, { readonly examples?: Readonly<Record<string, Example>> }>>;

interface Example {
  readonly summary?: string;
  readonly value: unknown;
}

/** The page with the bodies of a response of the token endpoint as examples. A summary of one stays. */
function withExamples(page: string, response: string, status: number): string {
  const { responses } = (parse(page) as Description).components;
  const known = responses[response]?.content?.['application/json']?.examples ?? {};
  const bodyOf = ({ code: error, description: error_description }: ErrorText) =>
    JSON.stringify({ error, error_description });
  const reasons = Object.entries<ErrorText>(oauthErrorTexts).filter(
    ([name]) => new OAuthError(name as OAuthErrorReason).status === status,
  );
  const examples = [...Map.groupBy(reasons, ([, text]) => bodyOf(text))].map(([body, [first]]) => {
    const made = first?.[0].replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const same = Object.entries(known).find(([, { value }]) => JSON.stringify(value) === body);
    return same ?? [made, { value: JSON.parse(body) as unknown }];
  });
  const text = stringify(Object.fromEntries(examples), { lineWidth: 0 }).replace(
    /^(?=.)/gm,
    ' '.repeat(12),
  );
  const head = new RegExp(`^ {4}${response}:\\n(?: {5,}.*\\n)*? {10}examples:\\n`, 'm').exec(page);
  const from = (head?.index ?? 0) + (head?.[0].length ?? 0);
  return page.slice(0, from) + text + page.slice(from).replace(/^(?: {12}.*\n)*/, '');
}

if (import.meta.main) {
  const parts = computeRefusals();
  writeParts(['refusals.md'], parts);
  const path = resolve(import.meta.dirname, '../../docs/openapi.yaml');
  const page = withExamples(readFileSync(path, 'utf8'), 'TokenRequestRefused', 400);
  writeFileSync(path, withExamples(page, 'ClientAuthenticationFailed', 401));
  const reasons = Object.values(parts).join('\n').match(/^### /gm)?.length;
  process.stdout.write(`${reasons} reasons of refusal\n`);
}
