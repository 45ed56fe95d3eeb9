import type { Management } from '../../../adapters/management.ts';
import { formatTime } from '../../../core/rfc3339.ts';
import { badge } from '../../html/badge.ts';
import { type Html, type HtmlValue, html } from '../../html/html.ts';
import { type Fact, facts, panel } from '../../html/parts.ts';
import { timeWithDistance } from '../../html/time.ts';
import type { RequestContext } from '../../request-context.ts';

export type TokenExplanation = Awaited<ReturnType<Management['explainToken']>>;
export type RequestExplanation = Awaited<ReturnType<Management['explainRequest']>>;

function answer(tone: 'good' | 'bad', headline: string, text: HtmlValue): Html {
  return html`<div class="answer answer-${tone}" role="status"><p class="answer-title">${headline}</p><p>${text}</p></div>`;
}

/** The steps of a token request, up to the one that decides. */
export function tokenResult({
  granted,
  steps,
  error,
  errorDescription,
  reason,
  claims,
}: TokenExplanation): Html {
  const headline = granted
    ? answer('good', 'It gets a token.', 'A request with a valid secret gets a token.')
    : answer(
        'bad',
        'It is refused.',
        html`The client sees <code>${error ?? ''}</code>${errorDescription !== undefined && html`, “${errorDescription}”`} <span class="muted">(${reason ?? ''})</span>.`,
      );
  const list = html`<ol class="steps">${steps.map(
    ({ step, outcome, detail }) =>
      html`<li><span class="step-name">${step}</span><span>${
        outcome === 'passed' ? badge('good', 'Passed') : badge('bad', 'Refused')
      }</span><p>${detail.split('\n').map((line) => html`<span class="line">${line}</span>`)}</p></li>`,
  )}</ol>`;
  const claimsPart =
    claims !== undefined &&
    html`<details class="panel-text"><summary>Claims of the token</summary><pre><code>${JSON.stringify(claims, undefined, 2)}</code></pre></details>`;
  return panel({ title: 'The token request', id: 'answer' }, html`${headline}${list}${claimsPart}`);
}

function verifiedFacts(
  { now }: RequestContext,
  verified: NonNullable<RequestExplanation['verified']>,
): Html {
  if (verified.credential === 'api_key') {
    return facts([
      ['Credential', 'API key'],
      ['Key id', html`<code>${verified.keyId}</code>`],
      ['Service trunk group', html`<code>${verified.serviceTrunkGroup}</code>`],
    ]);
  }
  return facts([
    ['Credential', 'Access token'],
    ['Issuer', html`<code class="line">${verified.issuer}</code>`],
    ['Client id', html`<code>${verified.clientId}</code>`],
    ['Scopes', verified.scopes.join(' ')],
    ['Service trunk group', html`<code>${verified.serviceTrunkGroup}</code>`],
    ['Expires', timeWithDistance(verified.expiresAt, now)],
  ]);
}

/** The claims of the credential before it was refused. */
function foundFacts(found: NonNullable<RequestExplanation['facts']>): Html {
  const list: readonly (readonly [string, string | undefined])[] = [
    ['Client id', found.clientId],
    ['Key id', found.keyId],
    ['Issuer', found.issuer],
    ['Token id', found.tokenId],
  ];
  return facts(
    list.map(([label, value]): Fact | undefined =>
      value === undefined ? undefined : [label, html`<code>${value}</code>`],
    ),
  );
}

/** The decision of the verifier, with the rule. */
export function requestResult(context: RequestContext, explanation: RequestExplanation): Html {
  const { accepted, verified, reason, rule, status, error, errorDescription } = explanation;
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
    )}${facts([
      [
        'The caller sees',
        html`${status ?? ''} <code>${error ?? ''}</code>${errorDescription !== undefined && html`, “${errorDescription}”`}`,
      ],
    ])}${explanation.facts !== undefined && foundFacts(explanation.facts)}`,
  );
}
