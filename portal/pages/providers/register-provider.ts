import { InputError, RefusedError } from '../../../adapters/management.ts';
import { findProviderGroups } from '../../access/own-providers.ts';
import { type Form, sayDurations } from '../../forms/form.ts';
import {
  asSentence,
  noProblems,
  type Problems,
  problemAt,
  problemsOf,
} from '../../forms/problems.ts';
import {
  choiceFields,
  choicesOf,
  type ProviderValues,
  providerLabels,
  readProviderValues,
  trunkGroupChoices,
} from '../../forms/provider-form.ts';
import { textField } from '../../html/field.ts';
import { errorSummary } from '../../html/form.ts';
import { type Html, html } from '../../html/html.ts';
import { providerKeyTable } from '../../html/list.ts';
import { facts, panel } from '../../html/parts.ts';
import type { Handler, Page, RequestContext } from '../../request-context.ts';
import { nothingPage } from '../choose-trunk-group.ts';

type Inspection = Awaited<ReturnType<RequestContext['management']['inspectProvider']>>;

/** The fields of both steps are one form: what is typed after the look-up is registered. */
const formId = 'provider';

interface Registration {
  readonly values: ProviderValues;
  /** For which it can be; undefined: the whole platform. */
  readonly groups: readonly string[] | undefined;
}

/** The first step. It changes nothing, so it is a query. */
function lookUpForm(
  { href }: RequestContext,
  { values, groups = [] }: Registration,
  problems: Problems,
): Html {
  const { url, trunkGroups } = values;
  const chosen = trunkGroups.length === 0 ? groups : trunkGroups;
  return html`
    <form class="sheet" id="${formId}" method="get" action="${href('/identity-providers/new')}#found" data-once>
      ${textField({
        name: 'discoveryUrl',
        label: providerLabels.discoveryUrl,
        hint: 'It usually ends in /.well-known/openid-configuration.',
        value: url,
        type: 'url',
        required: true,
        isCode: true,
        error: problemAt(problems, 'discoveryUrl'),
      })}${
        groups.length > 0 && trunkGroupChoices(groups, chosen, problemAt(problems, 'trunkGroups'))
      }
      ${choiceFields(values, problems)}
      <div class="form-actions">
        <button class="button button-${url === '' ? 'primary' : 'plain'}" type="submit">
          Look it up
        </button>
      </div>
    </form>
  `;
}

function foundFacts({ issuer, jwksUri, allowedAlgorithms }: Inspection): Html {
  const missing = html`<span class="muted">Not found</span>`;
  const line = (text: string | undefined) =>
    text === undefined ? missing : html`<code class="line">${text}</code>`;
  return facts([
    ['Issuer', line(issuer)],
    ['JWKS URI', line(jwksUri)],
    ['Algorithms', allowedAlgorithms?.join(', ') ?? missing],
  ]);
}

/** The second step: the findings, and the consequences of trusting them. */
function confirmation({ href }: RequestContext, found: Inspection, problems: Problems): Html {
  const keys = found.keySet && panel({ title: 'Keys', id: 'keys' }, providerKeyTable(found.keySet));
  if (!found.registrable) {
    const foundPanel = panel({ title: 'Found', id: 'found-facts' }, foundFacts(found));
    return html`
      <div class="notice notice-bad" id="found" role="alert" tabindex="-1">
        <p><strong>It cannot be registered.</strong></p>
        <p class="problem">${asSentence(found.problem ?? '')}</p>
      </div>
      ${found.issuer !== undefined && foundPanel}${keys}
    `;
  }
  return html`
    ${panel({ title: 'Found', id: 'found' }, foundFacts(found))}
    ${found.warning !== undefined && html`<p class="problem">${asSentence(found.warning)}</p>`}
    ${keys}
    ${errorSummary(problems, providerLabels)}
    <div class="sheet">
      <p>
        Tokens that <code>${found.issuer}</code> signs with these keys, and those that it publishes
        later, are then accepted for the clients that you create under it.
      </p>
      <input type="hidden" form="${formId}" name="ifIssuer" value="${found.issuer ?? ''}">
      <input type="hidden" form="${formId}" name="ifJwksUri" value="${found.jwksUri ?? ''}">
      <div class="form-actions">
        <button class="button button-primary" type="submit" form="${formId}" formmethod="post" formaction="${href('/identity-providers')}">
          Register provider
        </button>
        <a class="button button-plain" href="${href('/identity-providers')}">
        Cancel</a>
      </div>
    </div>
  `;
}

const page = { title: 'Register identity provider', section: 'identity-providers' } as const;

/** For a user whose limits allow no provider of their own. */
const notAllowed = {
  title: 'Your trunk groups may register no identity provider of their own',
  text: 'The platform’s staff can allow it, or register one for you.',
};

async function showPage(
  context: RequestContext,
  values: ProviderValues,
  found: Inspection | undefined,
  problems: Problems,
): Promise<Page> {
  const groups = await findProviderGroups(context);
  if (groups?.length === 0) {
    return { ...nothingPage(page, notAllowed), status: problems.status };
  }
  // Problems of the second step are shown there.
  const ofFirst = found === undefined ? problems : noProblems;
  return {
    status: problems.status,
    ...page,
    crumbs: [],
    lead: 'Enter the discovery URL. The issuer, the JWKS URI and the keys are filled in from there.',
    problems: ofFirst,
    labels: providerLabels,
    body: html`
      ${lookUpForm(context, { values, groups }, ofFirst)}
      ${found !== undefined && confirmation(context, found, problems)}
    `,
  };
}

/** For a restricted user: what was chosen, also if that is nothing. */
function trunkGroupsOf({ person }: RequestContext, { trunkGroups }: ProviderValues) {
  return person.trunkGroups === undefined ? undefined : trunkGroups;
}

export const newProvider: Handler = async (context) => {
  context.require('registerProvider');
  const values = readProviderValues(context.query);
  const { url } = values;
  if (url === '') return showPage(context, values, undefined, noProblems);
  try {
    const found = await context.management.inspectProvider(url, choicesOf(values));
    return showPage(context, values, found, noProblems);
  } catch (error) {
    const isOfUser = error instanceof InputError || error instanceof RefusedError;
    const said = error instanceof InputError ? sayLeeway(error, values) : error;
    const problems = isOfUser ? problemsOf(said) : undefined;
    if (problems === undefined) throw error;
    return showPage(context, values, undefined, problems);
  }
};

/** What was found, unless the user may not look any more. */
async function lookAgain(
  { management }: RequestContext,
  values: ProviderValues,
): Promise<Inspection | undefined> {
  try {
    return await management.inspectProvider(values.url, choicesOf(values));
  } catch (error) {
    if (error instanceof RefusedError) return undefined;
    throw error;
  }
}

function sayLeeway(error: InputError, { leeway }: ProviderValues): InputError {
  return leeway === '' ? error : sayDurations(error, new Map([['leeway', leeway]]));
}

/** The second step. Its page is that of the first one, with what was found. */
export const providerRegistration: Form<undefined, ProviderValues> = {
  operation: 'registerProvider',
  find: async () => undefined,
  start: ({ query }) => readProviderValues(query),
  read: readProviderValues,
  act: async (context, { values }) => {
    const { management, form, href } = context;
    const input = {
      ...choicesOf(values),
      ifIssuer: form.text('ifIssuer'),
      ifJwksUri: form.text('ifJwksUri'),
      trunkGroups: trunkGroupsOf(context, values),
    };
    const { provider } = await management
      .registerProvider(values.url, input)
      .catch((error: unknown) => {
        throw error instanceof InputError ? sayLeeway(error, values) : error;
      });
    const { issuer } = provider;
    return {
      redirectTo: href('/identity-providers/show', { issuer, done: 'provider-registered' }),
    };
  },
  look: async (context, { values, problems }) => {
    const found = problems.fields.length > 0 ? undefined : await lookAgain(context, values);
    return showPage(context, values, found, problems);
  },
};
