import { Option } from 'commander';
import { describe, expect, it } from 'vitest';
import { option, repeatable } from '../../cli/command-spec.ts';
import { nameOption } from '../../cli/program.ts';
import { InputError, RefusedError } from '../../core/errors.ts';
import { refuseInput } from '../../core/management/read-input.ts';

const options = [
  option('--token-lifetime <duration>'),
  repeatable('--scope <scope>', '', 'scopes'),
  new Option('--no-scopes'),
  option('--trunk-group <group>', '', 'serviceTrunkGroup'),
  repeatable('--allow <name=subnet>', '', 'subnets'),
  option('--expires-at <time>'),
  option('--expires-in <duration>', '', 'expiresAt'),
  option('--expire-old-in <duration>', '', 'overlap'),
];

const given = (...names: readonly string[]) => ({
  options,
  isGiven: (name: string) => names.includes(name),
  valueOf: () => '5s',
});

function refused(run: () => never): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

describe('a value that the library refuses', () => {
  it.each([
    ['tokenLifetime', '--token-lifetime: received 5; allowed: more'],
    ['scopes', '--scope: received 5; allowed: more'],
    ['serviceTrunkGroup', '--trunk-group: received 5; allowed: more'],
    ['expiresAt', '--expires-at: received 5; allowed: more'],
    ['expiresAt', '--expires-in: received 5; allowed: more', 'expiresIn'],
    ['subnets[1].netmask', '--allow: received 5; allowed: more'],
    ['overlap', '--expire-old-in: received 5; allowed: more'],
    ['rank', 'rank: received 5; allowed: more'],
  ])('has the name of its option: %s', (field, message, ...names) => {
    const error = nameOption(
      refused(() => refuseInput(field, 5, 'more')),
      given(...names),
    );
    expect(error).toBeInstanceOf(InputError);
    expect(error).toMatchObject({ field, message });
  });

  it('has them in all problems, one in each line', () => {
    const several = new InputError([
      { field: 'tokenLifetime', label: 'token_lifetime', problem: 'received 5; allowed: more' },
      { field: 'scopes', label: 'scope', problem: 'received "x"; allowed: y' },
      { problem: 'a problem of no field' },
    ]);
    expect(nameOption(several, given())).toMatchObject({
      message:
        '--token-lifetime: received 5; allowed: more\n--scope: received "x"; allowed: y\na problem of no field',
    });
  });

  it('keeps the path of a value inside of another', () => {
    const error = refused(() => refuseInput('keys[1].netmask', 5, 'more', 'keys[1]: netmask'));
    expect(nameOption(error, given())).toBe(error);
    expect(error).toMatchObject({
      field: 'keys[1].netmask',
      label: 'keys[1]: netmask',
      problem: 'received 5; allowed: more',
      message: 'keys[1]: netmask: received 5; allowed: more',
    });
  });

  it.each([new RefusedError('no'), new InputError('tables: received none')])(
    'without a field stays as it is: %s',
    (error) => expect(nameOption(error, given())).toBe(error),
  );
});
