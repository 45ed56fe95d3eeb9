import * as v from 'valibot';
import { isJsonObject } from '../../../contract/json-object.ts';
import { exactly } from '../../../contract/management/inputs.ts';
import { type ManagementOperation, operationOf } from '../../../contract/management/operations.ts';
import type { ManagementCall } from '../../../contract/management/request.ts';
import { InputError } from '../../errors.ts';
import { refuseInput } from '../read-input.ts';

/**
 * `['changes', 'subnets', 1, 'netmask']` → `subnets[1].netmask`: the path in the argument, as the
 * library names fields. An argument that is no object is its own field.
 */
function fieldOf(path: readonly { readonly key: unknown }[]): string {
  const [argument, ...inner] = path.map(({ key }) => key);
  const parts = inner.length === 0 ? [argument] : inner;
  return parts.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

function refuse(issue: v.BaseIssue<unknown>): never {
  const field = fieldOf(issue.path ?? []);
  if (issue.type === 'raw_check') {
    throw new InputError(`unknown field; allowed: ${issue.message}`, { field, label: field });
  }
  const allowed = issue.type === 'custom' ? issue.message : (issue.expected ?? issue.message);
  return refuseInput(field, issue.input, allowed);
}

/** Whether a change only stops access: it may be repeated at any time. */
function isStop(operation: ManagementOperation, args: readonly unknown[]): boolean {
  return 'enabled' in operation.parameters ? args.includes(false) : true;
}

/** The field that each guard needs, and what it is. */
const needed = {
  key: ['idempotencyKey', 'a key, by which a repetition finds what the first request created'],
  version: ['ifVersion', 'the version that the change is based on'],
  registration: ['ifRegistration', 'the id of the registration that the change is based on'],
} as const;

/** The fields that a call must have so that a repetition of it does no harm. */
export function neededFields(
  operation: ManagementOperation,
  args: readonly unknown[],
): readonly (typeof needed)[keyof typeof needed][] {
  return operation.guards.flatMap((guard) => {
    if (guard !== 'stop') return [needed[guard]];
    return isStop(operation, args) ? [] : [needed.version];
  });
}

function checkGuards(operation: ManagementOperation, args: readonly unknown[]): void {
  const last = args.at(-1);
  for (const [field, allowed] of neededFields(operation, args)) {
    if (!isJsonObject(last) || last[field] === undefined) refuseInput(field, undefined, allowed);
  }
}

/**
 * The arguments of a call in the order of the library.
 *
 * @throws {InputError} for a field that is missing, unknown or of another type.
 */
export function readCall({ operation: name, input }: ManagementCall): readonly unknown[] {
  const operation = operationOf(name);
  const names = Object.keys(operation.parameters);
  const result = v.safeParse(exactly(operation.parameters), input, {
    abortEarly: true,
    abortPipeEarly: true,
  });
  if (!result.success) refuse(result.issues[0]);
  const args = names.map((argument) => result.output[argument]);
  checkGuards(operation, args);
  return args;
}
