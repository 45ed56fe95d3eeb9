import { describe, expect, it } from 'vitest';
import {
  ConflictError,
  InputError,
  ServiceUnavailableError,
  UnavailableError,
} from '../../core/errors.ts';
import { refuseInput } from '../../core/management/read-input.ts';
import {
  fromManagementError,
  toManagementError,
} from '../../core/management/requests/wire-errors.ts';
import { problemsOf } from '../../portal/forms/problems.ts';
import { describeError } from '../../portal/pages/errors/error-page.ts';

function throughFunction(error: Error): Error {
  const known = toManagementError(error);
  if (known === undefined) throw new Error('the function has no such error');
  return fromManagementError(JSON.parse(JSON.stringify(known)));
}

function refused(run: () => never): Error {
  try {
    return run();
  } catch (error) {
    return error as Error;
  }
}

describe('the message at a field of a form', () => {
  it.each([
    [
      'a field',
      refused(() => refuseInput('tokenLifetime', 5, 'more')),
      'tokenLifetime',
      'Received 5; allowed: more.',
    ],
    [
      'a field that is a question at its end',
      refused(() => refuseInput('scopes', 'calls:vew', 'a scope; did you mean calls:view?')),
      'scopes',
      'Received "calls:vew"; allowed: a scope; did you mean calls:view?',
    ],
    [
      'a field inside of another',
      refused(() => refuseInput('subnets[0].name', '', 'a name', 'subnets[0]: subnet name')),
      'subnets[0].name',
      'Received ""; allowed: a name.',
    ],
    [
      'two fields at once, in words that no pattern would find',
      new InputError('a token would have 9 bytes', {
        field: 'scopes',
        label: 'scope and audience',
      }),
      'scopes',
      'A token would have 9 bytes.',
    ],
  ])('has no label of another surface: %s', (_, error, field, message) => {
    const expected = { status: 422, fields: [{ field, message }] };
    expect(problemsOf(error)).toEqual(expected);
    expect(problemsOf(throughFunction(error))).toEqual(expected);
  });

  it('is the whole text of a function that sends no label', () => {
    const old = { class: 'InputError', text: 'name: received ""', field: 'name' } as const;
    expect(problemsOf(fromManagementError(old))).toEqual({
      status: 422,
      fields: [{ field: 'name', message: 'Name: received "".' }],
    });
  });

  it('says what is meant if there is no field for it', () => {
    expect(problemsOf(new InputError('received "x"', { label: 'jwks_uri' }))?.general).toBe(
      'jwks_uri: received "x".',
    );
    expect(problemsOf(new ConflictError('it was changed'))?.general).toBe('It was changed.');
  });
});

describe('the page about an outage', () => {
  it.each([
    ['DynamoDB', 'The database does not answer'],
    ['Secrets Manager', 'The portal cannot read its own secrets'],
    ['Lambda', 'The management function does not answer'],
    ['STS', 'AWS does not confirm the portal'],
    ['another one', 'The portal cannot answer now'],
  ])('names what failed: %s', (service, title) => {
    const error = new ServiceUnavailableError(service, 'timeout');
    expect(describeError(error)).toMatchObject({ status: 503, title });
    expect(describeError(throughFunction(error))).toMatchObject({ status: 503, title });
  });

  it('names nothing if that is not known', () => {
    const text = { status: 503, title: 'The portal cannot answer now' };
    expect(describeError(throughFunction(new UnavailableError('timeout')))).toMatchObject(text);
  });
});

it.each([
  ['client_1 changed meanwhile', 'client_1 changed meanwhile.'],
  ['https://idp.example is registered', 'https://idp.example is registered.'],
  ['the provider is registered', 'The provider is registered.'],
])('the message of a form begins a sentence, and leaves an id as it is: %s', (message, general) => {
  expect(problemsOf(new ConflictError(message))?.general).toBe(general);
});
