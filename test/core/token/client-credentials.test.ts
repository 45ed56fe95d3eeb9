import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxAuthorizationBytes } from '../../../contract/bounds.ts';
import {
  parseBasicCredentials,
  readClientCredentials,
} from '../../../core/token/client-authentication.ts';
import type { TokenParameters } from '../../../core/token/token-parameters.ts';
import { refusal } from '../../support/refusal.ts';

function basic(pair: string | Uint8Array, scheme = 'Basic'): string {
  return `${scheme} ${Buffer.from(pair).toString('base64')}`;
}

/** As RFC 6749 §2.3.1 asks, in the form-encoding that browsers write. */
function formEncode(value: string): string {
  return new URLSearchParams([['', value]]).toString().slice(1);
}

const none = {
  clientId: undefined,
  hasBodyCredentials: false,
  scopes: undefined,
  resource: undefined,
};

describe('HTTP Basic credentials', () => {
  it.each([
    [basic('id:secret'), 'id', 'secret'],
    [basic('id:secret', 'basic'), 'id', 'secret'],
    [basic('id:secret', 'BASIC'), 'id', 'secret'],
    [basic('id:se:cret'), 'id', 'se:cret'],
    [
      basic('an%3Aidentifier:some+secure+%26+non-standard+secret'),
      'an:identifier',
      'some secure & non-standard secret',
    ],
    [basic('%25+%26%2B:%25+%26%2B'), '% &+', '% &+'],
    [basic('id:secret/with=special?character'), 'id', 'secret/with=special?character'],
    [basic('id:a+b%2Bc'), 'id', 'a b+c'],
    [basic('%C3%A9:caf%C3%A9'), 'é', 'café'],
    [basic('é:café'), 'é', 'café'],
  ])('reads %s', (authorization, clientId, clientSecret) => {
    const pair = Buffer.from(authorization.split(' ')[1] ?? '', 'base64').toString();
    const sentSecret = pair.slice(pair.indexOf(':') + 1);
    const read = parseBasicCredentials(authorization);
    expect(read).toEqual({ clientId, clientSecret, sentSecret });
  });

  it('reads back every pair that is encoded as RFC 6749 §2.3.1 says', () => {
    const text = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
      // oxlint-disable-next-line no-control-regex
      .filter((value) => !/[\u0000-\u001f\u007f-\u009f]|^\s|\s$/.test(value));
    fc.assert(
      fc.property(text, text, (clientId, clientSecret) => {
        const header = basic(`${formEncode(clientId)}:${formEncode(clientSecret)}`);
        const sentSecret = formEncode(clientSecret);
        const read = parseBasicCredentials(header);
        expect(read).toEqual({ clientId, clientSecret, sentSecret });
      }),
    );
  });

  it.each([
    ['Bearer x', 'authentication_scheme'],
    ['Digest username="x"', 'authentication_scheme'],
    ['DPoP x', 'authentication_scheme'],
    ['Basic', 'authentication_scheme'],
    ['Basic ', 'authentication_scheme'],
    ['', 'authentication_scheme'],
    ['Basic  aWQ6c2VjcmV0', 'authentication_scheme'],
    ['Basic\taWQ6c2VjcmV0', 'authentication_scheme'],
    ['Basic aWQ6c2VjcmV0 ', 'authentication_scheme'],
    ['Basic aWQ6 c2VjcmV0', 'authentication_scheme'],
    ['Basic !!!!', 'malformed_credentials'],
    ['Basic aWQ6c2VjcmV0=', 'malformed_credentials'],
    ['Basic aWQ6c2VjcmU', 'malformed_credentials'],
    ['Basic aWQ6c2VjcmV1cA==x', 'malformed_credentials'],
    ['Basic aWQ6c2VjcmV1cB==', 'malformed_credentials'],
    ['Basic aWQ6_-8=', 'malformed_credentials'],
    ['Basic Zm9v', 'malformed_credentials'],
    [basic('id:'), 'malformed_credentials'],
    [basic(':secret'), 'malformed_credentials'],
    [basic(':'), 'malformed_credentials'],
    [basic('foo %:bar $'), 'malformed_credentials'],
    [basic('id:%FF'), 'malformed_credentials'],
    [basic('id:%00'), 'malformed_credentials'],
    [basic('id:a%0D%0Ab'), 'malformed_credentials'],
    [basic('id:a\u0000b'), 'malformed_credentials'],
    [basic('i\u007fd:secret'), 'malformed_credentials'],
    [basic(Uint8Array.of(0x69, 0x3a, 0xff)), 'malformed_credentials'],
    [basic('id:a\nb'), 'malformed_credentials'],
    [basic('id:secret\u0000'), 'malformed_credentials'],
    [basic('id:secret\n'), 'blank_around_credentials'],
    [basic('id:secret\r\n'), 'blank_around_credentials'],
    [basic('id:secret%0A'), 'blank_around_credentials'],
    [basic('id:secret '), 'blank_around_credentials'],
    [basic('id: secret'), 'blank_around_credentials'],
    [basic('id\n:secret'), 'blank_around_credentials'],
    [basic('\tid:secret'), 'blank_around_credentials'],
    [basic('id: '), 'blank_around_credentials'],
  ])('refuses %j', (authorization, reason) => {
    expect(refusal(() => parseBasicCredentials(authorization))).toBe(reason);
  });

  it('reads or refuses any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        refusal(() => parseBasicCredentials(text));
        refusal(() => parseBasicCredentials(`Basic ${text}`));
        refusal(() => parseBasicCredentials(basic(text)));
      }),
    );
  });
});

describe('client credentials of a request', () => {
  const good = basic('id:secret');
  const posted = { ...none, clientId: 'id', postedSecret: 's' };

  it.each([
    [[], none, 'no_authentication'],
    [[], { ...none, clientId: 'id' }, 'no_authentication'],
    [[], { ...none, hasBodyCredentials: true }, 'authentication_method'],
    [[good, good], none, 'repeated_authorization'],
    [[good, basic('other:secret')], none, 'repeated_authorization'],
    [[good], { ...none, hasBodyCredentials: true }, 'several_authentications'],
    [[good], { ...none, clientId: 'other' }, 'client_id_mismatch'],
    [[basic(`id:${'x'.repeat(maxAuthorizationBytes)}`)], none, 'authorization_too_large'],
    [[basic(`${'i'.repeat(257)}:s`)], none, 'authorization_too_large'],
    [[basic(`${'i'.repeat(256)}:s`)], none, undefined],
    [[good], none, undefined],
    [[good], { ...none, clientId: 'id' }, undefined],
    [[], posted, undefined],
    [[], { ...posted, clientId: undefined }, 'no_authentication'],
    [[good], { ...posted, postedSecret: 'secret' }, 'secret_not_alone'],
    [['Bearer x'], posted, 'secret_not_alone'],
    [[], { ...posted, hasBodyCredentials: true }, 'secret_not_alone'],
    [[], { ...posted, clientId: 'i'.repeat(256) }, undefined],
    [[], { ...posted, clientId: 'i'.repeat(257) }, 'body_too_large'],
    [[], { ...posted, postedSecret: 's'.repeat(maxAuthorizationBytes + 1) }, 'body_too_large'],
    [[], { ...posted, postedSecret: 's\n' }, 'blank_around_credentials'],
    [[], { ...posted, clientId: ' id' }, 'blank_around_credentials'],
    [[], { ...posted, postedSecret: 'a\u0000b' }, 'malformed_credentials'],
    [[], { ...posted, clientId: 'i\u007fd' }, 'malformed_credentials'],
  ] as [string[], TokenParameters, string | undefined][])(
    '%j with %j: %s',
    (authorizations, parameters, reason) => {
      expect(refusal(() => readClientCredentials(authorizations, parameters))).toBe(reason);
    },
  );
});
