import type { ApiKey } from '../../../adapters/management.ts';
import { fieldLabel } from '../../../contract/management/field-words.ts';
import { type Html, html } from '../../html/html.ts';
import { facts, linkButton } from '../../html/parts.ts';
import type { Page, RequestContext } from '../../request-context.ts';
import { shownBefore, shownOnce } from '../client-secrets/shown-once.ts';
import { callCommand } from '../clients/first-request.ts';
import { command } from '../clients/next-steps.ts';
import { ofKey } from './change-key.ts';
import {
  expirySummary,
  oldValueFacts,
  scopesSummary,
  sourcesSummary,
  warningNotes,
} from './key-row.ts';

function once({ href, now, api }: RequestContext, key: ApiKey, value: string): Html {
  const more = facts([
    ['Key id', html`<code>${key.keyId}</code>`],
    ['Service trunk group', html`<code>${key.serviceTrunkGroup}</code>`],
    ['Usable from', sourcesSummary(key)],
    [fieldLabel('scopes'), scopesSummary(key)],
    ['Expires', expirySummary(key, now)],
    ...oldValueFacts(key, now),
    !key.enabled && ['Status', 'Disabled: it does not work until it is enabled'],
    ['Sent as', html`<code>Authorization: Bearer &lt;API key&gt;</code>`],
    [
      'Try it',
      html`
        ${command(callCommand(api.apiUrl), 'the command')}<span class="hint">Paste the key, and
        press Enter.${api.apiUrl === undefined && ' Replace API_URL by the address of an API method.'}</span>
      `,
    ],
  ]);
  return html`
    ${shownOnce({ title: 'API key', label: 'the API key', value, more })}
    <div class="form-actions">
      ${linkButton(href(`/api-keys/${key.keyId}`), 'I have copied it', 'primary')}
    </div>
  `;
}

/** The response to the form that created a key: the only place that shows the value. */
export function createdKeyPage(
  context: RequestContext,
  {
    key,
    value,
    warnings = [],
  }: {
    readonly key: ApiKey;
    readonly value: string | undefined;
    readonly warnings?: readonly string[] | undefined;
  },
  done: 'created' | 'rotated' = 'created',
): Page {
  const { href } = context;
  const address = `/api-keys/${key.keyId}`;
  const title =
    value === undefined ? `An API key that was ${done} before` : `The API key was ${done}`;
  return {
    title,
    ...ofKey(context, key),
    body: html`${
      value === undefined
        ? shownBefore({
            what: done === 'created' ? key.name : `A new value of ${key.name}`,
            backLink: linkButton(href(address), 'To the key', 'primary'),
            ...(done === 'created'
              ? { deleteLink: linkButton(href(`${address}/delete`), 'Delete it…') }
              : {
                  deleteLink: linkButton(href(`${address}/rotate`), 'Rotate again…'),
                  cure: 'rotate the key again: the value before it works until it expires',
                }),
          })
        : once(context, key, value)
    }${warningNotes(warnings)}`,
  };
}
