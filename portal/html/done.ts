import type { Fields } from '../forms/fields.ts';
import { type Html, html } from './html.ts';

/** Messages after a change. The address contains only the name of the message. */
const sentences: ReadonlyMap<string, string> = new Map([
  ['client-created', 'The client was created. Now give it a secret.'],
  [
    'client-existed',
    'This form was sent before, and created this client then. No other one was created. Open a new form to create another client.',
  ],
  ['provider-client-created', 'The client was created. It authenticates at its provider.'],
  ['saved', 'Saved.'],
  ['client-enabled', 'The client is enabled. Its secrets work again.'],
  ['client-disabled', 'The client is disabled. It gets no new tokens.'],
  ['tokens-revoked', 'The tokens of the client were revoked. New ones are accepted.'],
  ['client-deleted', 'The client was deleted.'],
  ['secret-disabled', 'Disabled. The others of the client still work.'],
  ['secret-enabled', 'Enabled. It works again.'],
  ['secret-deleted', 'Deleted. It no longer works.'],
  ['key-added', 'The public key was added. The client can sign with its private key now.'],
  ['key-enabled', 'The API key is enabled.'],
  ['key-disabled', 'The API key is disabled. It no longer works.'],
  ['key-deleted', 'The API key was deleted.'],
  ['subnet-added', 'The subnet was added.'],
  [
    'subnet-added-cut',
    'The subnet was added as the network that its netmask says. The rest of the address was cut.',
  ],
  ['subnet-removed', 'The subnet was removed.'],
  ['limits-saved', 'The limits were saved. They hold for the next change.'],
  ['provider-registered', 'The provider is registered.'],
  ['provider-assigned', 'The trunk groups of the provider were changed.'],
  ['grant-saved', 'The grant was saved. It holds for the next change.'],
  ['grant-withdrawn', 'The grant was withdrawn. What exists goes on.'],
  ['provider-deleted', 'The provider was deleted.'],
]);

export function doneNotice(query: Fields): Html | '' {
  const sentence = sentences.get(query.text('done'));
  return sentence === undefined ? '' : html`<p class="notice" role="status">${sentence}</p>`;
}
