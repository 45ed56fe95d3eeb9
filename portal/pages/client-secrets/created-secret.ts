import type { Client, ClientSecret } from '../../../adapters/management.ts';
import { type Html, type HtmlValue, html } from '../../html/html.ts';
import { copyable, facts, linkButton } from '../../html/parts.ts';
import { timeWithDistance } from '../../html/time.ts';
import type { Page, Redirect, RequestContext } from '../../request-context.ts';
import { tokenCommand } from '../clients/first-request.ts';
import { command } from '../clients/next-steps.ts';
import { isKey, secretTitle } from '../clients/secret-table.ts';
import { ofClient } from '../clients/stop-client.ts';
import { shownBefore, shownOnce } from './shown-once.ts';

interface Created {
  readonly client: Pick<Client, 'clientId' | 'name'>;
  readonly secret: ClientSecret;
  readonly value: string | undefined;
  /** The secrets that expire because of a rotation, with their new expiry. */
  readonly expired?: readonly ClientSecret[];
}

function once(
  context: RequestContext,
  { client, secret, expired = [] }: Created,
  value: string,
): HtmlValue {
  const { now, deployment, href } = context;
  const expiry = secret.expiresAt === undefined ? 'Never' : timeWithDistance(secret.expiresAt, now);
  const others = expired.map(
    (one) => html`<li>${secretTitle(one)}: ${timeWithDistance(one.expiresAt ?? now, now)}</li>`,
  );
  const { clientId } = client;
  const request = tokenCommand({ issuer: deployment.issuer, clientId });
  return [
    shownOnce({
      title: 'Client secret',
      label: 'the client secret',
      value,
      more: facts([
        ['Client id', copyable(client.clientId, 'the client id')],
        ['Name', secretTitle(secret)],
        ['Expires', expiry],
        expired.length > 0 && ['These expire', html`<ul>${others}</ul>`],
        [
          'Try it',
          html`
            ${command(request, 'the command')}<span class="hint">curl asks for the password:
            paste the secret there.</span>
          `,
        ],
      ]),
    }),
    html`
      <div class="form-actions">
        ${linkButton(href(`/clients/${client.clientId}`), 'I have copied it', 'primary')}
      </div>
    `,
  ];
}

function before({ href }: RequestContext, { client, secret }: Created): Html {
  const address = `/clients/${client.clientId}`;
  return shownBefore({
    what: secretTitle(secret),
    backLink: linkButton(href(address), 'Back to the client', 'primary'),
    deleteLink: linkButton(href(`${address}/secrets/${secret.secretId}/delete`), 'Delete it…'),
  });
}

/** The response to a form that created a secret: the only place that shows the value. A key has none. */
export function createdSecretPage(context: RequestContext, created: Created): Page | Redirect {
  const { client, secret, value } = created;
  if (isKey(secret)) {
    return { redirectTo: context.href(`/clients/${client.clientId}`, { done: 'key-added' }) };
  }
  const title = value === undefined ? 'A secret that was created before' : 'The secret was created';
  return {
    title,
    ...ofClient(context, client),
    body: value === undefined ? before(context, created) : once(context, created, value),
  };
}
