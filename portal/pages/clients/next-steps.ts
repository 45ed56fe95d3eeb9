import type { Client } from '../../../adapters/management.ts';
import { tokenPath } from '../../../contract/routes.ts';
import { quoteWord } from '../../../contract/shell-word.ts';
import { isUsable } from '../../../core/client/client.ts';
import { findProofMode } from '../../../core/token/access-token-claims.ts';
import { clientPath } from '../../client-path.ts';
import { type Html, html } from '../../html/html.ts';
import { type Fact, linkButton, panel } from '../../html/parts.ts';
import { formatExactSpan } from '../../html/time.ts';
import type { RequestContext } from '../../request-context.ts';
import { isKey } from './secret-table.ts';

/**
 * A token request. curl asks for the secret, which keeps it out of history and process list.
 *
 * @param issuer undefined if the deployment's config has none.
 */
export function tokenCommand(clientId: string, issuer = 'https://API_ADDRESS'): string {
  return `curl -u ${quoteWord(clientId)} -d grant_type=client_credentials ${issuer}${tokenPath}`;
}

/**
 * A call of an API. The shell asks for the credential, and curl reads it from there: it is neither
 * in the history nor in the list of processes.
 */
export function callCommand(apiUrl = 'API_URL'): string {
  return `read -rs CREDENTIAL; printf 'Authorization: Bearer %s' "$CREDENTIAL" | curl -i -H @- ${apiUrl}`;
}

/** A command to copy. */
export function command(text: string, label: string): Html {
  return html`<pre class="command"><code data-copy="${label}">${text}</code></pre>`;
}

/** The words of the panel. */
function words({ api }: RequestContext, client: Client, audience: string): Html {
  const { apiUrl, documentation } = api;
  const description =
    documentation === undefined
      ? 'The description of the API'
      : html`<a href="${documentation}">The description of the API</a>`;
  const meanings: readonly Fact[] = [
    [
      'Client id and secret',
      'The user name and the password of the program. They are sent only to the token endpoint, as HTTP Basic.',
    ],
    [
      'Access token',
      html`
        What the token endpoint returns as <code>access_token</code>. The program sends it to
        the API, in the header <code>Authorization</code>, after the word <code>Bearer</code>.
        It is valid for ${formatExactSpan(client.tokenLifetime)} (<code>expires_in</code> says
        so in seconds). Keep it, and request the next one shortly before it expires.
      `,
    ],
    [
      'Scope',
      `What a token allows. Without a choice, it has every scope of the client: ${client.scopes.join(', ') || 'none'}.`,
    ],
    ['Audience', html`The API that a token is for: <code>${audience}</code>.`],
    [
      'API_URL',
      html`
        The address of one of the platform’s API methods that the scope
        allows${apiUrl !== undefined && html`, such as <code>${apiUrl}</code>`}. ${description} has it.
      `,
    ],
  ];
  return html`
    <details class="program">
      <summary>What the words mean</summary>
      <dl class="words">
        ${meanings.map(([word, text]) => html`<div><dt>${word}</dt><dd>${text}</dd></div>`)}
      </dl>
    </details>
  `;
}

const textOf = (text: string | Html) => html`<p class="panel-text">${text}</p>`;

/** For a client that signs: no command does it as short as one with a secret. */
function signingSteps(issuer: string | undefined, clientId: string): Html {
  return textOf(html`
    This client signs a JWT with its private key for each token (<code>private_key_jwt</code>,
    RFC 7523). Most OAuth libraries do it, if they get the key and the algorithm.
    <code>iss</code> and <code>sub</code> are <code>${clientId}</code>, <code>aud</code> is
    <code>${issuer ?? 'the issuer'}</code>, and <code>exp</code> is a minute ahead.
  `);
}

/** A proof is of one request, so no command to copy can have it. */
const proofSteps = textOf(html`
  A token of this client is bound to a key of the program. Each request for a token, and each call of
  the API, needs a proof of that key in the header <code>DPoP</code> (RFC 9449). OAuth libraries such
  as openid-client make it.
`);

/** What to do with a client: a secret, a token, a call to the API. */
export function nextSteps(context: RequestContext, client: Client): Html {
  const { deployment, href, now, may, api } = context;
  const { issuer } = deployment;
  const { clientId } = client;
  const usable = client.secrets.filter((secret) => isUsable(secret, now));
  const hasSecret = usable.length > 0;
  const first = may('createClientSecret')
    ? html`<a href="${href(`${clientPath(clientId)}/secrets/new`)}">Create a secret</a> first.`
    : 'The client needs a secret first.';
  const head = {
    title: 'Get a token, and call the API',
    id: 'token',
    actions: linkButton(href('/explain', { clientId }), 'If it is refused'),
  };
  const signs = deployment.clientKeys?.only === true || (hasSecret && usable.every(isKey));
  const audience = client.audiences[0] ?? deployment.defaultAudience;
  const proves = deployment.dpop && findProofMode(deployment.dpop, audience) === 'required';
  if (signs || proves) {
    const start = signs ? signingSteps(issuer, clientId) : !hasSecret && textOf(first);
    return panel(head, html`${start}${proves && proofSteps}`);
  }
  return panel(
    head,
    html`
      <ol class="next-steps">
        ${!hasSecret && html`<li><p>${first}</p></li>`}
        <li>
          <p>
            Get a token. curl asks for the secret: paste it there, so it does not get into
            the history of the shell.
          </p>
          ${command(tokenCommand(clientId, issuer), 'the command for a token')}
        </li>
        <li>
          <p>
            Call the API with it: paste the <code>access_token</code>, and press
            Enter.${api.apiUrl === undefined && html` Replace <code>API_URL</code>.`}
            An OAuth library does both, if it gets the token URL, the client id and the secret.
          </p>
          ${command(callCommand(api.apiUrl), 'the command for the call')}
        </li>
      </ol>
      ${words(context, client, audience)}
    `,
  );
}
