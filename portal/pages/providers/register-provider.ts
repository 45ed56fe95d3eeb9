import { InputError, RefusedError } from '../../../adapters/management.ts';
import { secondsOrTyped } from '../../../core/duration.ts';
import { describeClaimRisk } from '../../../core/identity-provider/client-id-claim.ts';
import { findProviderGroups } from '../../access/own-providers.ts';
import { type Form, sayDurations } from '../../forms/form.ts';
import {
  asSentence,
  type Fields,
  noProblems,
  type Problems,
  problemAt,
  problemsOf,
  typedField,
} from '../../forms/problems.ts';
import { checkbox, fieldGroup, fixedField, selectField, textField } from '../../html/field.ts';
import { errorSummary } from '../../html/form.ts';
import { type Html, html } from '../../html/html.ts';
import { providerKeyTable } from '../../html/list.ts';
import { factList, panel } from '../../html/parts.ts';
import type { Handler, HtmlPage, RequestContext } from '../../request-context.ts';
import { nothingPage } from '../choose-trunk-group.ts';

export const providerLabels = {
  discoveryUrl: 'Discovery URL',
  clientIdClaim: 'Claim that names the client (optional)',
  audienceFrom: 'Audience',
  algorithms: 'Algorithms (optional)',
  leeway: 'Clock difference, e.g. 30s (optional)',
  trunkGroups: 'Trunk groups',
  keepClientsOf: 'Trunk groups whose clients stay in a takeover',
};

/** The content of a provider's form, as entered. */
export type ProviderValues = Readonly<ReturnType<typeof readProviderValues>>;

export function readProviderValues(fields: Fields) {
  return {
    url: fields.text('discoveryUrl').trim(),
    clientIdClaim: fields.text('clientIdClaim').trim(),
    isRiskAccepted: fields.isOn('allowUserWritableClaim'),
    audienceFrom: fields.text('audienceFrom'),
    allowsPatterns: fields.isOn('allowClientPatterns'),
    algorithms: fields.text('algorithms').trim(),
    leeway: fields.text('leeway').trim(),
    trunkGroups: fields.all('trunkGroups'),
  };
}

/** As input of the library, which refuses invalid values. */
export function choicesOf(values: ProviderValues) {
  return {
    clientIdClaim: values.clientIdClaim || undefined,
    allowUserWritableClaim: values.isRiskAccepted,
    audienceFrom: (values.audienceFrom || undefined) as 'aud' | 'scope' | undefined,
    allowClientPatterns: values.allowsPatterns,
    algorithms: values.algorithms === '' ? undefined : values.algorithms.split(/[\s,]+/),
    leeway: secondsOrTyped(values.leeway || undefined),
  };
}

/** The form asks for the confirmation only if the claim needs one. */
export function riskField({
  clientIdClaim,
  isRiskAccepted,
}: {
  readonly clientIdClaim?: string | undefined;
  readonly isRiskAccepted: boolean;
}): Html {
  const risk = describeClaimRisk(clientIdClaim || undefined);
  if (risk === undefined) return html``;
  return checkbox({
    name: 'allowUserWritableClaim',
    label: 'Only the provider writes this claim, never one of its users',
    hint: `Warning: ${risk}.`,
    isOn: isRiskAccepted,
  });
}

/** Settings that no document of the provider contains. */
export function choiceFields(values: ProviderValues, problems: Problems): Html {
  return html`${textField({
    ...typedField(values, 'clientIdClaim', problems),
    label: providerLabels.clientIdClaim,
    hint: 'Leave it empty for client_id, azp or sub, the first that a token has. Entra ID v1 has appid, Okta cid.',
    width: 'medium',
    isCode: true,
    suggestions: ['client_id', 'azp', 'sub', 'appid', 'cid'],
  })}${riskField(values)}${selectField({
    ...typedField(values, 'audienceFrom', problems),
    label: providerLabels.audienceFrom,
    hint: 'Access tokens of Amazon Cognito have no aud.',
    options: [
      ['', 'The claim aud'],
      ['aud', 'The claim aud, also of a Cognito user pool that adds it'],
      ['scope', 'The API that the scopes belong to, if there is no aud'],
    ],
  })}${checkbox({
    name: 'allowClientPatterns',
    label: 'Ids of its clients may end with *, as for the branches of a CI system',
    isOn: values.allowsPatterns,
  })}${textField({
    ...typedField(values, 'algorithms', problems),
    label: providerLabels.algorithms,
    hint: 'Leave it empty for all that the provider lists. A key without alg is used only if one of them fits, such as RS256.',
    width: 'medium',
    isCode: true,
  })}${textField({
    ...typedField(values, 'leeway', problems),
    label: providerLabels.leeway,
    hint: 'By how much its clock may differ: 10 to 60. Leave it empty for 10.',
    width: 'medium',
  })}`;
}

/** The trunk groups that a provider is for: checkboxes, or the only one there is. */
export function trunkGroupChoices(
  groups: readonly string[],
  chosen: readonly string[],
  error: string | undefined,
): Html {
  const name = 'trunkGroups';
  const [only = ''] = groups;
  if (groups.length === 1 && error === undefined) {
    return fixedField({ name, label: 'Trunk group', value: only });
  }
  return fieldGroup(
    {
      name,
      label: 'Trunk groups',
      hint: 'Only clients of these can be under the provider.',
      error,
    },
    groups.map((group) =>
      checkbox({
        name,
        value: group,
        label: html`<code>${group}</code>`,
        isOn: chosen.includes(group),
      }),
    ),
  );
}

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
  return factList([
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
): Promise<HtmlPage> {
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
