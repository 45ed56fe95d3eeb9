import { isJsonObject } from '../../../contract/json-object.ts';
import { checkInput, exactly, type RuleFacts, Wrong } from '../../../contract/management/fields.ts';
import { type ManagementOperation, operationOf } from '../../../contract/management/operations.ts';
import type { ManagementCall } from '../../../contract/management/request.ts';
import type { InputProblem } from '../../errors.ts';
import { findWrongSubnet } from '../api-keys.ts';
import { currentTime, type ManagementContext } from '../management-context.ts';
import { problemsOf, refuseProblems, toInputProblem } from '../read-input.ts';

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

/** What the rules of fields depend on. */
type RuleContext = Pick<ManagementContext, 'config' | 'clock' | 'trunkGroups'>;

export function factsOf(context: RuleContext): RuleFacts {
  const { config, trunkGroups } = context;
  return { config, trunkGroups, now: currentTime(context), findWrongSubnet };
}

/** What a request lacks so that a repetition of it does no harm. */
function findMissingGuards(
  operation: ManagementOperation,
  args: readonly unknown[],
): readonly InputProblem[] {
  const last = args.at(-1);
  // What is no object is refused as it is.
  if (last !== undefined && !isJsonObject(last)) return [];
  return neededFields(operation, args)
    .filter(([field]) => last?.[field] === undefined)
    .map(([field, message]) => toInputProblem(field, new Wrong({ message })));
}

/** The arguments of the library by their names. */
export function nameArguments(
  operation: ManagementOperation,
  args: readonly unknown[],
): Readonly<Record<string, unknown>> {
  const names = Object.keys(operation.parameters);
  return Object.fromEntries(names.map((name, index) => [name, args[index]]));
}

/**
 * The arguments of a call in the order of the library. This is the only check of their shape.
 *
 * @param isRequest whether a repetition must do no harm: answers get lost on their way.
 * @throws {InputError} with every field that is missing, unknown or not allowed.
 */
export function readCall(
  { operation: name, input }: ManagementCall,
  context: RuleContext,
  isRequest: boolean,
): readonly unknown[] {
  const operation = operationOf(name);
  const { issues, output } = checkInput(exactly(operation.parameters), input, factsOf(context));
  const args = (values: Readonly<Record<string, unknown>>) =>
    Object.keys(operation.parameters).map((argument) => values[argument]);
  const missing = isRequest ? findMissingGuards(operation, args(input)) : [];
  refuseProblems([...problemsOf(issues), ...missing]);
  return args(output);
}
