import type { Management } from '../../../adapters/management.ts';
import { isClientId } from '../../../contract/client-id.ts';
import { assertionWarning } from '../../../contract/management/field-words.ts';
import type { AssertionForm } from '../../../contract/management/questions.ts';
import { isId } from '../../../core/credential/credential-value.ts';
import { formatTime } from '../../../core/time.ts';
import { clientPath } from '../../client-path.ts';
import { isSecretValue, readCredential } from '../../forms/credential.ts';
import { type Form, type InputOf, noValues, submit } from '../../forms/form.ts';
import {
  type Fields,
  FormError,
  noProblems,
  type Problems,
  problemAt,
  typedField,
} from '../../forms/problems.ts';
import { type Option, selectField, textArea, textField } from '../../html/field.ts';
import { type Html, type HtmlValue, html } from '../../html/html.ts';
import { badge } from '../../html/list.ts';
import { factList, panel } from '../../html/parts.ts';
import { timeWithDistance } from '../../html/time.ts';
import type { Handler, HtmlPage, RequestContext } from '../../request-context.ts';

export type TokenExplanation = Awaited<ReturnType<Management['explainToken']>>;
export type RequestExplanation = Awaited<ReturnType<Management['explainRequest']>>;

function answer(tone: 'good' | 'bad', headline: string, text: HtmlValue): Html {
  return html`
    <div class="answer answer-${tone}" role="status">
      <p class="answer-title">${headline}</p>
      <p>${text}</p>
    </div>
  `;
}

/** What ends a refusal, with its commands as code. */
function endsIt(remedy: string): Html {
  const parts = remedy.split('`');
  return html`
    <p class="panel-text">To end it: ${parts.map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}</p>
  `;
}

/** The steps of a token request: the one that refuses first, with what can be changed about it. */
export function tokenResult(
  { href }: RequestContext,
  clientId: string,
  { granted, steps, error, errorDescription, reason, remedy, claims }: TokenExplanation,
): Html {
  const refused = steps.filter(({ outcome }) => outcome !== 'passed');
  const ordered = [...refused, ...steps.filter(({ outcome }) => outcome === 'passed')];
  const cure =
    isClientId(clientId) &&
    html`<p class="panel-text"><a href="${href(clientPath(clientId))}">Open the client to change it</a></p>`;
  const headline = granted
    ? answer('good', 'It gets a token.', 'A request with a valid secret gets a token.')
    : answer(
        'bad',
        'It is refused.',
        html`
          The client sees <code>${error ?? ''}</code>
          ${errorDescription !== undefined && html`, “${errorDescription}”`} <span class="muted">(
          ${reason ?? ''})</span>.
        `,
      );
  const list = html`<ol class="steps">${ordered.map(
    ({ step, outcome, detail }) =>
      html`<li><span class="step-name">${step}</span><span>${
        outcome === 'passed' ? badge('good', 'Passed') : badge('bad', 'Refused')
      }</span><p>${detail.split('\n').map(
        (line) => html`
        <span class="line">${line}</span>
      `,
      )}</p></li>`,
  )}</ol>`;
  const claimsPart =
    claims !== undefined &&
    html`
      <details class="panel-text">
        <summary>Claims of the token</summary>
        <pre><code>${JSON.stringify(claims, undefined, 2)}</code></pre>
      </details>
    `;
  return panel(
    { title: 'The token request', id: 'answer' },
    html`${headline}${remedy !== undefined && endsIt(remedy)}${!granted && cure}${list}${claimsPart}`,
  );
}

function verifiedFacts(
  context: RequestContext,
  verified: NonNullable<RequestExplanation['verified']>,
): Html {
  if (verified.credential === 'api_key') {
    return factList([
      ['Credential', 'API key'],
      ['Key id', keyLink(context, verified.keyId)],
      ['Scopes', verified.scopes?.join(' ') ?? 'Every scope'],
      ['Service trunk group', html`<code>${verified.serviceTrunkGroup}</code>`],
    ]);
  }
  return factList([
    ['Credential', 'Access token'],
    ['Issuer', issuerLink(context, verified.issuer)],
    ['Client id', clientLink(context, verified.clientId)],
    ['Scopes', verified.scopes.join(' ')],
    ['Service trunk group', html`<code>${verified.serviceTrunkGroup}</code>`],
    ['Expires', timeWithDistance(verified.expiresAt, context.now)],
    verified.boundTo !== undefined && [
      'Bound to a key',
      html`<code>${verified.boundTo}</code>. Each request also needs a proof of this key (DPoP), which is not looked at here.`,
    ],
  ]);
}

/** An id with a link to its page. What it names may not exist, and the page says so. */
function linkTo(address: string | undefined, text: string): Html {
  const shown = html`<code>${text}</code>`;
  return address === undefined ? shown : html`<a href="${address}">${shown}</a>`;
}

function clientLink({ href }: RequestContext, clientId: string): Html {
  return linkTo(isClientId(clientId) ? href(clientPath(clientId)) : undefined, clientId);
}

function keyLink({ href }: RequestContext, keyId: string): Html {
  return linkTo(isId('apiKey', keyId) ? href(`/api-keys/${keyId}`) : undefined, keyId);
}

/** Another issuer than this service may be a registered provider. */
function issuerLink({ href, deployment }: RequestContext, issuer: string): Html {
  const isOther = issuer.startsWith('https://') && issuer !== deployment.issuer;
  return linkTo(isOther ? href('/identity-providers/show', { issuer }) : undefined, issuer);
}

/** The claims of the credential before it was refused. */
function foundFacts(
  context: RequestContext,
  { clientId, keyId, issuer, tokenId }: NonNullable<RequestExplanation['facts']>,
): Html {
  return factList([
    clientId !== undefined && ['Client id', clientLink(context, clientId)],
    keyId !== undefined && ['Key id', keyLink(context, keyId)],
    issuer !== undefined && ['Issuer', issuerLink(context, issuer)],
    tokenId !== undefined && ['Token id', html`<code>${tokenId}</code>`],
  ]);
}

/** The decision of the verifier, with the rule. */
export function requestResult(context: RequestContext, explanation: RequestExplanation): Html {
  const { accepted, verified, reason, rule, remedy, status, error, errorDescription } = explanation;
  if (accepted && verified !== undefined) {
    const { refusedWithLookup: other } = explanation;
    return panel(
      { title: 'The credential', id: 'answer' },
      html`${answer('good', 'It is accepted.', `Checked at ${formatTime(context.now)}.`)}${
        other !== undefined &&
        answer(
          'bad',
          'Platform APIs that look up clients refuse it.',
          html`The rule: ${other.rule ?? ''} <span class="muted">(${other.reason ?? ''})</span>.`,
        )
      }${verifiedFacts(context, verified)}`,
    );
  }
  return panel(
    { title: 'The credential', id: 'answer' },
    html`${answer(
      'bad',
      'It is refused.',
      html`The rule: ${rule ?? ''} <span class="muted">(${reason ?? ''})</span>.`,
    )}${remedy !== undefined && endsIt(remedy)}${factList([
      [
        'The caller sees',
        html`
          ${status ?? ''} <code>${error ?? ''}</code>
          ${errorDescription !== undefined && html`, “${errorDescription}”`}
        `,
      ],
    ])}${explanation.facts !== undefined && foundFacts(context, explanation.facts)}`,
  );
}

interface Explained {
  readonly token?: TokenExplanation | undefined;
  readonly request?: RequestExplanation | undefined;
  readonly problems?: Problems | undefined;
  /** About what was pasted. */
  readonly note?: string | undefined;
}

function scopeOptions({ deployment }: RequestContext, any: string): readonly Option[] {
  return [['', any], ...deployment.scopes.map(({ scope }): Option => [scope, scope])];
}

/** A question without secrets. It is in the address, so it can be sent to a colleague. */
function tokenForm(context: RequestContext, values: Fields, problems: Problems): Html {
  return html`
    <form method="get" action="${context.href('/explain')}" class="panel-form">
      ${textField({
        name: 'clientId',
        label: 'Client id',
        value: isSecretValue(values.text('clientId')) ? '' : values.text('clientId'),
        required: true,
        isCode: true,
        placeholder: 'client_…',
        error: problemAt(problems, 'clientId'),
      })}${textField({
        ...typedField(values, 'scope', problems),
        label: 'Scopes that it requests (optional)',
        hint: 'Separated by spaces. Empty: all scopes of the client.',
        isCode: true,
      })}${textField({
        ...typedField(values, 'resource', problems),
        label: 'Resource (optional)',
        hint: 'The API that the token is for.',
        isCode: true,
      })}
      <button class="button button-primary" type="submit">Explain the token request</button>
    </form>
  `;
}

const assertionOptions: readonly Option[] = [
  ['', 'An API'],
  ['client_assertion', 'The token endpoint, as client_assertion'],
  ['jwt_bearer', 'The token endpoint, as the grant jwt-bearer'],
];

/** A question with a credential, which is never in an address and never shown again. */
function requestForm(context: RequestContext, values: Fields, problems: Problems): Html {
  const { deployment, href } = context;
  const needsIssuer = deployment.issuer === undefined;
  const takesAssertions = deployment.acceptsAssertions ?? deployment.clientKeys !== undefined;
  return html`
    <form method="post" action="${href('/explain/credential')}" class="panel-form" data-once>
      ${textArea({
        name: 'credential',
        label: takesAssertions ? 'Access token, API key or assertion' : 'Access token or API key',
        hint: 'It is checked here, and neither stored nor shown again.',
        value: '',
        rows: 4,
        error: problemAt(problems, 'credential'),
      })}${textField({
        ...typedField(values, 'sourceAddress', problems),
        label: 'IP address that the request comes from (optional)',
        isCode: true,
      })}${selectField({
        ...typedField(values, 'scopes', problems),
        label: 'Scope that the API needs',
        options: scopeOptions(context, 'None'),
      })}${textField({
        ...typedField(values, 'audience', problems),
        label: 'Audience of the API (optional)',
        hint: `Empty: ${deployment.defaultAudience}.`,
        isCode: true,
      })}${
        takesAssertions &&
        html`${selectField({
          ...typedField(values, 'assertion', problems),
          label: 'Sent to',
          options: assertionOptions,
        })}${textField({
          name: 'assertionClientId',
          label: 'client_id of the token request (optional)',
          // As the credential, it is not shown again: it may be a secret by mistake.
          value: '',
        })}`
      }${
        needsIssuer &&
        textField({
          ...typedField(values, 'issuer', problems),
          label: 'Issuer of the deployment',
          hint: 'Its config has none.',
          type: 'url',
        })
      }
      <button class="button button-primary" type="submit">Explain the credential</button>
    </form>
  `;
}

const labels = {
  clientId: 'Client id',
  scope: 'Scopes',
  resource: 'Resource',
  credential: 'Access token or API key',
  sourceAddress: 'IP address',
  audience: 'Audience',
  issuer: 'Issuer',
  assertion: 'Sent to',
};

function showPage(
  context: RequestContext,
  { token, request, note, problems = noProblems }: Explained,
): HtmlPage {
  return {
    title: 'Why refused?',
    section: 'explain',
    lead: 'Runs the steps of the service, and shows the one that refuses. No token is issued.',
    problems,
    labels,
    body: html`${token !== undefined && tokenResult(context, context.query.text('clientId').trim(), token)}${
      request !== undefined &&
      html`${
        note !== undefined && html`<p class="notice" role="status">${note}</p>`
      }${requestResult(context, request)}`
    }<div class="columns">${panel(
      {
        title: 'A token request',
        id: 'token',
        note: 'A client requests a token. You need no secret: each secret of the client is checked.',
      },
      tokenForm(context, context.query, problems),
    )}${panel(
      {
        title: 'A credential',
        id: 'credential',
        note: 'A caller sends an access token or an API key to an API.',
      },
      requestForm(context, context.form, problems),
    )}</div>`,
  };
}

export const explain: Handler = async (context) => {
  const { query, management } = context;
  const clientId = query.text('clientId').trim();
  if (clientId === '') return showPage(context, {});
  return submit(
    async () => {
      if (isSecretValue(clientId)) {
        const message =
          'This is a secret value, not a client id. It is in the address of this page and in the history of your browser now: replace it.';
        throw new FormError([{ field: 'clientId', message }]);
      }
      const token = await management.explainToken({
        clientId,
        scope: query.text('scope').trim() || undefined,
        resource: query.text('resource').trim() || undefined,
      });
      return showPage(context, { token });
    },
    (problems) => showPage(context, { problems }),
  );
};

/** It changes nothing. A credential is in no address, so the question is sent as a form. */
export const credentialQuestion: Form<undefined, undefined, InputOf<'explainRequest'>> = {
  ...noValues,
  operation: 'explainRequest',
  find: async () => undefined,
  required: { credential: 'Paste an access token or an API key.' },
  input: (_, { form }) => ({
    credential: () => {
      const pasted = readCredential(form.text('credential'));
      if ('credential' in pasted) return pasted.credential;
      throw new FormError([{ field: 'credential', message: pasted.mistake }]);
    },
    sourceAddress: form.text('sourceAddress').trim() || undefined,
    scopes: form.all('scopes').filter((scope) => scope !== ''),
    audience: form.text('audience').trim() || undefined,
    issuer: form.text('issuer').trim() || undefined,
    // Management says which forms there are.
    assertion: (form.text('assertion') || undefined) as AssertionForm | undefined,
    clientId: form.text('assertionClientId').trim() || undefined,
  }),
  act: async (context, { input }) => {
    const request = await context.management.explainRequest(input);
    const pasted = readCredential(context.form.text('credential'));
    const notes = ['note' in pasted ? pasted.note : undefined, input.assertion && assertionWarning];
    return showPage(context, { request, note: notes.filter(Boolean).join(' ') || undefined });
  },
  look: (context, { problems }) => showPage(context, { problems }),
};
