import { describe, expect, it } from 'vitest';
import { maxAudienceLength } from '../../../contract/bounds.ts';
import { selectAudience } from '../../../core/token/access-token-claims.ts';
import {
  type AudienceParameter,
  parseForm,
  parseResource,
  readResource,
} from '../../../core/token/token-parameters.ts';
import { refusal } from '../../support/refusal.ts';

describe('resource parameter', () => {
  it.each([
    'https://api.example.com',
    'https://api.example.com/',
    'https://api.example.com/v1?tenant=1',
    'urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
    'urn:example:api',
    'mailto:x@example.com',
    'custom-scheme:x',
  ])('reads %s as it is', (value) => {
    expect(parseResource(value)).toBe(value);
  });

  it.each([
    '',
    'api',
    '/v1',
    '//api.example.com',
    'https:',
    ':x',
    '1https://x',
    'https://api.example.com#f',
    'https://api.example.com/#',
    'https://api example.com',
    'https://api.example.com/é',
    'https://api.example.com/\u0000',
    `https://api.example.com/${'x'.repeat(maxAudienceLength)}`,
  ])('refuses %j', (value) => {
    expect(refusal(() => parseResource(value))).toBe('resource_syntax');
  });
});

describe('audience parameter', () => {
  const read = (form: string, meaning: AudienceParameter, query: readonly string[] = []) =>
    readResource(parseForm(Buffer.from(form)), { queryNames: query }, meaning);

  it.each([
    ['audience=urn:a', undefined, undefined],
    ['audience=&resource=urn:b', 'refuse', 'urn:b'],
    ['resource=urn:b', 'resource', 'urn:b'],
    ['audience=urn:a', 'resource', 'urn:a'],
    ['audience=urn:a&resource=urn:a', 'resource', 'urn:a'],
  ] as const)('of %s, if config says %s, gives %s', (form, meaning, resource) => {
    expect(read(form, meaning)).toBe(resource);
  });

  it.each([
    ['audience=urn:a', 'refuse', [], 'audience_parameter'],
    ['audience=urn:a&resource=urn:a', 'refuse', [], 'audience_parameter'],
    ['audience=urn:a&resource=urn:b', 'resource', [], 'repeated_resource'],
    ['audience=urn:a&resource=', 'resource', [], 'repeated_resource'],
    ['audience=my-api', 'resource', [], 'resource_syntax'],
    ['', 'resource', ['audience'], 'parameter_in_query'],
    ['', 'refuse', ['audience'], 'parameter_in_query'],
  ] as const)('of %s is refused, if config says %s (query: %j)', (form, meaning, query, reason) => {
    expect(refusal(() => read(form, meaning, query))).toBe(reason);
  });

  it('in the query is as unknown as in the body, if the config says nothing', () => {
    expect(read('', undefined, ['audience'])).toBeUndefined();
  });
});

describe('audience', () => {
  const usual = 'https://api.example.com';

  it.each([
    [undefined, [], usual],
    [usual, [], usual],
    [undefined, ['urn:a', 'urn:b'], 'urn:a'],
    ['urn:b', ['urn:a', 'urn:b'], 'urn:b'],
    ['https://api.example.com/', [], usual],
    [usual, ['https://api.example.com/'], 'https://api.example.com/'],
    ['http://localhost:18303/', ['urn:a', 'http://localhost:18303'], 'http://localhost:18303'],
    ['https://[::1]/', ['https://[::1]'], 'https://[::1]'],
    [usual, ['https://api.example.com/', usual], usual],
    ['https://api.example.com/', [usual, 'https://api.example.com/'], 'https://api.example.com/'],
  ])('resource %s with audiences %j gives %s', (resource, audiences, aud) => {
    expect(selectAudience(resource, audiences, usual)).toBe(aud);
  });

  it.each([
    ['https://evil.example', []],
    ['https://api.example.com//', []],
    ['https://api.example.com/v1', []],
    ['https://api.example.com/v1/', ['https://api.example.com/v1']],
    ['https://api.example.com/v1', ['https://api.example.com/v1/']],
    ['https://api.example.com/.', []],
    ['https://api.example.com/%2F', []],
    ['https://api.example.com/?', []],
    ['https://api.example.com?', []],
    ['https://api.example.com/?tenant=1', ['https://api.example.com?tenant=1']],
    ['https://api.example.com.', []],
    ['https://api.example.com:443/', []],
    ['https://x@api.example.com/', []],
    ['https://api.example.com@evil.example/', []],
    ['https://API.example.com/', []],
    ['http://api.example.com/', []],
    ['https:///', ['https://']],
    ['HTTPS://api.example.com/', []],
    ['HTTPS://api.example.com', []],
    ['custom://host/', ['custom://host']],
    ['urn:a/', ['urn:a']],
    [usual, ['urn:a']],
    ['urn:A', ['urn:a', 'urn:b']],
  ])('resource %s with audiences %j is refused', (resource, audiences) => {
    expect(refusal(() => selectAudience(resource, audiences, usual))).toBe('resource_not_allowed');
  });
});
