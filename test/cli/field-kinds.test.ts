import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { changeOptions, fieldCell, readFields } from '../../cli/commands/field-options.ts';
import type { GivenWords, PlainKind } from '../../contract/management/field-words.ts';
import { readTyped, viewTyped } from '../../core/typed-text.ts';
import { Fields } from '../../portal/forms/problems.ts';
import { inputOf, readValues, valuesOf } from '../../portal/forms/worded-fields.ts';

const time = '2030-03-17T17:46:40Z';

/** What is typed, what it means, and how a view has it. */
const kinds: Readonly<Record<Exclude<PlainKind, 'flag'>, readonly [string, unknown, unknown]>> = {
  text: ['4711', '4711', '4711'],
  count: ['12', 12, 12],
  seconds: ['15m', 900, 900],
  time: [time, 1_900_000_000, time],
};

describe.each(Object.entries(kinds))('a field of the kind %s', (kind, [typed, value, viewed]) => {
  const words = {
    note: { kind: kind as PlainKind, option: 'x', removal: ['no-note', 'no x'] },
  } as const satisfies Record<string, GivenWords>;
  const run = (...line: readonly string[]) => {
    const command = new Command();
    for (const option of changeOptions(words, ['note'])) command.addOption(option);
    return readFields(words, ['note'], command.parse(line, { from: 'user' }).opts());
  };

  it('is given and removed by its options, and shown as it is typed', () => {
    expect(run('--note', typed)).toEqual({ note: value });
    expect(run('--no-note')).toEqual({ note: null });
    expect(run()).toEqual({});
    expect([fieldCell(words.note, value), viewTyped(words.note.kind, value)].map(String)).toEqual([
      typed,
      String(viewed),
    ]);
  });

  it('is given and removed in a form of what there is', () => {
    const read = (text?: string) => {
      const values = readValues(words, new Fields(text === undefined ? {} : { note: text }));
      return inputOf(words, values, ['note'], null).note?.();
    };
    const typedAgain = valuesOf(words, { note: value }).note.text;
    expect(typedAgain).toBe(typed);
    const given = read(typedAgain);
    expect(kind === 'seconds' ? (given as { readonly seconds: number }).seconds : given).toBe(
      value,
    );
    expect([read(' '), read()]).toEqual([null, undefined]);
  });
});

it('takes the texts that a stack makes of other values', () => {
  expect(readTyped('time', '1900000000')).toBe(1_900_000_000);
  expect(readTyped('flag', 'true')).toBe(true);
  expect(readTyped('flag', 'yes')).toBe('yes');
  expect(readTyped(undefined, 'true')).toBe('true');
});
