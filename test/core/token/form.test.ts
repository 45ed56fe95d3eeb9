import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxFormParameters, maxTokenFormBytes } from '../../../contract/bounds.ts';
import { assertFormContentType, parseForm } from '../../../core/token/token-parameters.ts';
import { refusal } from '../../support/refusal.ts';

function parse(text: string) {
  return Object.fromEntries(parseForm(Buffer.from(text)));
}

describe('form content type', () => {
  it.each([
    'application/x-www-form-urlencoded',
    'application/x-www-form-urlencoded; charset=UTF-8',
    'application/x-www-form-urlencoded;charset="utf-8"',
    'Application/X-WWW-Form-Urlencoded ; CHARSET=utf-8',
    'application/x-www-form-urlencoded; charset=ISO-8859-1',
    'application/x-www-form-urlencoded; charset',
    'application/x-www-form-urlencoded; boundary=x',
    'application/x-www-form-urlencoded;',
  ])('accepts %j', (value) => {
    expect(() => assertFormContentType([value])).not.toThrow();
  });

  it.each([
    [[]],
    [['']],
    [['application/json']],
    [['multipart/form-data; boundary=x']],
    [['text/plain']],
    [['application/x-www-form-urlencodedx']],
    [['application/x-www-form-urlencoded, application/json']],
    [['application/x-www-form-urlencoded', 'application/x-www-form-urlencoded']],
  ])('refuses %j', (values: string[]) => {
    expect(refusal(() => assertFormContentType(values))).toBe('content_type');
  });
});

describe('form parsing', () => {
  it.each([
    ['', {}],
    ['a=1&b=2', { a: ['1'], b: ['2'] }],
    ['a=1&a=2&a=', { a: ['1', '2', ''] }],
    ['a', { a: [''] }],
    ['=x', { '': ['x'] }],
    ['a=b=c', { a: ['b=c'] }],
    ['&&a=1&', { a: ['1'] }],
    ['a=b+c%2Bd', { a: ['b c+d'] }],
    ['%61=%C3%A9', { a: ['é'] }],
    ['constructor=x', { constructor: ['x'] }],
  ])('reads %j', (text, expected) => {
    expect(parse(text)).toEqual(expected);
  });

  it('keeps __proto__ a name like any other', () => {
    const form = parseForm(Buffer.from('__proto__=x&hasOwnProperty=y'));
    expect([...form.keys()]).toEqual(['__proto__', 'hasOwnProperty']);
    expect(Object.prototype.hasOwnProperty.call({}, 'x')).toBe(false);
  });

  it.each([
    ['a=%', 'body_encoding'],
    ['a=%4', 'body_encoding'],
    ['a=%zz', 'body_encoding'],
    ['%=a', 'body_encoding'],
    ['a=%FF', 'body_encoding'],
    ['a=%C0%AF', 'body_encoding'],
    ['a=%ED%A0%80', 'body_encoding'],
    [`a=${'x'.repeat(maxTokenFormBytes)}`, 'body_too_large'],
    ['a=1&'.repeat(maxFormParameters + 1), 'too_many_parameters'],
  ])('refuses %j', (text, reason) => {
    expect(refusal(() => parse(text))).toBe(reason);
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(refusal(() => parseForm(Buffer.from([0x61, 0x3d, 0xff])))).toBe('body_encoding');
  });

  it('accepts exactly the limits', () => {
    expect(parse(`a=${'x'.repeat(maxTokenFormBytes - 2)}`)['a']?.[0]).toHaveLength(
      maxTokenFormBytes - 2,
    );
    const names = Array.from({ length: maxFormParameters }, (_, index) => `p${index}=1`);
    expect(Object.keys(parse(names.join('&')))).toHaveLength(maxFormParameters);
  });

  it('reads back any form that a browser writes', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 20 });
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { maxLength: 8 }), (pairs) => {
        const written = new URLSearchParams(pairs);
        const read = [...parseForm(Buffer.from(written.toString()))].flatMap(([name, values]) =>
          values.map((value) => [name, value]),
        );
        const order = (a: string[], b: string[]) => (a[0] ?? '').localeCompare(b[0] ?? '');
        expect(read.sort(order)).toEqual([...written].sort(order));
      }),
    );
  });
});
