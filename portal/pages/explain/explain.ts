import { assertionWarning } from '../../../contract/management/field-words.ts';
import type { AssertionForm } from '../../../contract/management/inputs.ts';
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
import { type Html, html } from '../../html/html.ts';
import { panel } from '../../html/parts.ts';
import type { Handler, Page, RequestContext } from '../../request-context.ts';
import {
  type RequestExplanation,
  requestResult,
  type TokenExplanation,
  tokenResult,
} from './explain-result.ts';

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
): Page {
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
