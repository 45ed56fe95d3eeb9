import { isId } from '../core/credential/credential-value.ts';

/**
 * The address of a client's page. The id of an imported client is in base64url: it may have a slash
 * or be the name of a page, and a gateway may decode a path before the portal sees it.
 */
export function clientPath(clientId: string): string {
  return `/clients/${toPathPart(clientId)}`;
}

export function toPathPart(clientId: string): string {
  return isId('client', clientId) ? clientId : `~${Buffer.from(clientId).toString('base64url')}`;
}

/** The reverse. */
export function readPathPart(part: string): string {
  return part.startsWith('~') ? Buffer.from(part.slice(1), 'base64url').toString() : part;
}
