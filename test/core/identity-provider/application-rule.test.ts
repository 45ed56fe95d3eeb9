import { describe, expect, it } from 'vitest';
import { proposeRule } from '../../../core/identity-provider/application-rule.ts';

const okta = { issuer: 'https://example.okta.com/oauth2/default', clientIdClaim: 'cid' };
const auth0 = { issuer: 'https://example.us.auth0.com' };
const entra = { issuer: 'https://login.microsoftonline.com/72f988bf/v2.0' };
const google = { issuer: 'https://accounts.google.com' };
const serviceAccount = { azp: 'erp@x.iam.gserviceaccount.com', sub: '107' };
const unknown = { issuer: 'https://idp.example.net' };

const sub = (value: string) => [{ claim: 'sub', values: [value] }];

describe('the rule that a token leads to', () => {
  it.each([
    ['Auth0', auth0, { sub: 'erp@clients' }, sub('erp@clients'), true, true],
    ['Auth0, of a person', auth0, { sub: 'auth0|1' }, sub('erp@clients'), true, false],
    ['Okta', okta, { cid: 'erp', sub: 'erp' }, sub('erp'), true, true],
    ['Okta, of a person', okta, { cid: 'erp', sub: 'ann' }, sub('erp'), true, false],
    ['Entra ID', entra, { sub: 'object', oid: 'object' }, sub('object'), false, true],
    [
      'Entra ID, of a person',
      entra,
      { sub: 'pair', oid: 'person', scp: 'read' },
      sub('pair'),
      false,
      false,
    ],
    [
      'Entra ID, of a person, without scp',
      entra,
      { sub: 'pair', oid: 'person' },
      sub('pair'),
      false,
      false,
    ],
    ['Google, by a key file', google, serviceAccount, sub('107'), false, true],
    ['Google, of an instance', google, { azp: '107', sub: '107' }, sub('107'), false, true],
    [
      'Google, of a person',
      google,
      { azp: '3.apps.googleusercontent.com', sub: '108' },
      sub('108'),
      false,
      false,
    ],
    ['an unknown issuer by RFC 9068', unknown, { sub: 'erp' }, sub('erp'), false, true],
  ] as const)('%s', (_, provider, payload, conditions, isAdded, isMet) => {
    expect(proposeRule(provider, 'erp', payload)).toEqual({ conditions, isAdded, isMet });
  });

  it.each([
    ['an unknown issuer whose sub is not the client', unknown, { sub: 'a-uuid' }],
    ['a registration by sub', { ...auth0, clientIdClaim: 'sub' }, { sub: 'erp' }],
    ['a token without sub', unknown, {}],
  ])('is none: %s', (_, provider, payload) => {
    expect(proposeRule(provider, 'erp', payload)).toBeUndefined();
  });
});
