import { isId, looksLikeClientSecret, prefixes } from '../../core/credential/credential-value.ts';

/** What a person pasted: a credential, or something that is often mistaken for one. */
type Pasted =
  | { readonly credential: string; readonly note?: string | undefined }
  | { readonly mistake: string };

/** What a text is pasted in, e.g. from a program or a document. */
const quotes = /^["'`“”‘’]+|["'`“”‘’,;]+$/g;

const scheme = /^(?:authorization:\s*)?(?:bearer|dpop)\s+/i;

const mistakes: readonly (readonly [matches: (text: string) => boolean, mistake: string])[] = [
  [
    (text) => text.startsWith(prefixes.clientSecret) || looksLikeClientSecret(text),
    'This is a client secret, not an access token. A client sends it to the token endpoint as the password of HTTP Basic, and sends the token that it gets there to the API.',
  ],
  [
    (text) => isId('client', text),
    'This is the id of a client, not a credential. Use “A token request” for it.',
  ],
  [(text) => isId('secret', text), 'This is the id of a secret, not its value.'],
  [
    (text) => isId('apiKey', text),
    'This is the id of an API key. Its value begins with ak_ and was shown once.',
  ],
  [
    (text) => /^(?:authorization:\s*)?basic\s/i.test(text),
    'These are a client’s id and secret for the token endpoint. An API takes the token that the client gets there.',
  ],
  [
    (text) => text.startsWith('{') && text.includes('access_token'),
    'This is the whole response of the token endpoint. Paste only the value of access_token.',
  ],
];

/** The credential in a text, or the mistake. Neither repeats the text. */
export function readCredential(text: string): Pasted {
  const notes: string[] = [];
  const without = (from: string, pattern: RegExp, note: string) => {
    const rest = from.replace(pattern, '');
    if (rest !== from) notes.push(note);
    return rest;
  };
  const oneLine = without(text.trim(), /\s*[\r\n]+\s*/g, 'Line breaks in it were left out.');
  const unquoted = without(oneLine, quotes, 'Quotes around it were left out.');
  const name = /dpop/i.test(scheme.exec(unquoted)?.[0] ?? '') ? 'DPoP' : 'Bearer';
  const belongs = `“${name} ” in front of it was left out. It belongs to the header, not to the credential.`;
  const credential = without(unquoted, scheme, belongs);
  const mistake = mistakes.find(([matches]) => matches(credential))?.[1];
  if (mistake !== undefined) return { mistake };
  return notes.length === 0 ? { credential } : { credential, note: notes.join(' ') };
}

/** Whether a text that was typed as an id is a secret value, which no page may repeat. */
export function isSecretValue(text: string): boolean {
  return [prefixes.clientSecret, prefixes.apiKeyValue].some((prefix) => text.startsWith(prefix));
}
