import type { Client } from '../../../adapters/management.ts';
import { findLongestToken } from '../../../core/client/longest-token.ts';
import { clientPath } from '../../client-path.ts';
import type { Problems } from '../../forms/problems.ts';
import { linkButton } from '../../html/parts.ts';
import { formatExactSpan } from '../../html/time.ts';
import type { HtmlPage, RequestContext } from '../../request-context.ts';

export function getClient({ management, id }: RequestContext): Promise<Client> {
  return management.findClient(id('clientId'));
}

/** Where a page about one client is. */
export function ofClient(
  { href }: Pick<RequestContext, 'href'>,
  { clientId, name }: Pick<Client, 'clientId' | 'name'>,
) {
  return {
    section: 'clients',
    crumbs: [{ text: name, href: href(clientPath(clientId)) }],
  } as const;
}

/** A refused change, with a link back to the client. */
export function refusedPage(context: RequestContext, client: Client, problems: Problems): HtmlPage {
  const address = context.href(clientPath(client.clientId));
  return {
    title: client.name,
    section: 'clients',
    crumbs: [],
    problems,
    body: linkButton(address, 'See the client as it is now', 'primary'),
  };
}

/** The longest that a token which is out can still work: `1 day`. */
export async function findLongestText(context: RequestContext, client: Client): Promise<string> {
  const { management, deployment, now } = context;
  const { maximum } = deployment.tokenLifetime;
  return formatExactSpan(await findLongestToken(management, client, maximum, now));
}
