import type { Management } from '../../../adapters/management.ts';
import { isClientId } from '../../../contract/client-id.ts';
import { isId } from '../../../core/credential/credential-value.ts';
import { formatTime } from '../../../core/time.ts';
import { clientPath } from '../../client-path.ts';
import { type Html, type HtmlValue, html } from '../../html/html.ts';
import { badge } from '../../html/list.ts';
import { facts, panel } from '../../html/parts.ts';
import { timeWithDistance } from '../../html/time.ts';
import type { RequestContext } from '../../request-context.ts';

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
    return facts([
      ['Credential', 'API key'],
      ['Key id', keyLink(context, verified.keyId)],
      ['Scopes', verified.scopes?.join(' ') ?? 'Every scope'],
      ['Service trunk group', html`<code>${verified.serviceTrunkGroup}</code>`],
    ]);
  }
  return facts([
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
  return facts([
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
    )}${remedy !== undefined && endsIt(remedy)}${facts([
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
