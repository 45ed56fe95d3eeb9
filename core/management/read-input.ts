import type * as v from 'valibot';
import {
  checkInput,
  exactly,
  type RuleFacts,
  unknownField,
  type Wrong,
  wholeProblem,
  wireNameOf,
} from '../../contract/management/fields.ts';
import { InputError, type InputProblem } from '../errors.ts';

/** Longer values are cut: a message is read by a person. */
const maxShown = 80;

/** More texts than this are counted, not listed, because people read the message. */
const maxListed = 20;

/** Texts as a message lists them. */
export function listTexts(texts: readonly string[]): string {
  const rest = texts.length - maxListed;
  return texts.slice(0, maxListed).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/** A value as a message shows it. What JSON cannot say has the name of its type. */
function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = jsonOf(value) ?? `a ${typeof value}`;
  return text.length > maxShown ? `${text.slice(0, maxShown - 3)}...` : text;
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Fields that a message calls by another name than theirs on the wire. */
const labels: ReadonlyMap<string, string> = new Map([
  // Their values are named one by one.
  ['scopes', 'scope'],
  ['addScopes', 'scope'],
  ['removeScopes', 'scope'],
  ['audiences', 'audience'],
  ['providers', 'provider'],
  ['overlap', 'expire_old_in'],
]);

/** The name of a field on the wire: `tokenLifetime` is `token_lifetime` there. */
function labelOf(field: string): string {
  return labels.get(field) ?? wireNameOf(field);
}

/** `['subnets', 1, 'netmask']` → `subnets[1].netmask`. */
function fieldOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

/** `['subnets', 1, 'netmask']` → `subnets[1]: netmask`. */
function labelOfPath(path: readonly PropertyKey[]): string {
  const last = path.findLastIndex((key) => typeof key === 'string');
  const outer = fieldOf(path.slice(0, last));
  const label = fieldOf([labelOf(String(path[last])), ...path.slice(last + 1)]);
  return outer === '' ? label : `${outer}: ${label}`;
}

/** The path of a problem in the argument, as the library names fields. */
function pathOf(issue: v.BaseIssue<unknown>): readonly PropertyKey[] {
  const [argument, ...inner] = (issue.path ?? []).map(({ key }) => key as PropertyKey);
  const path = inner.some((key) => typeof key === 'string') ? inner : [argument ?? '', ...inner];
  // The value of a list of texts is in the message, and says more than its place.
  const isOfList = typeof path.at(-1) === 'number' && issue.type !== 'custom';
  return isOfList ? path.slice(0, -1) : path;
}

function toProblem(issue: v.BaseIssue<unknown>): InputProblem {
  const path = pathOf(issue);
  const [field, label] = [fieldOf(path), labelOfPath(path)];
  const { message: allowed, expected, input } = issue;
  if (expected === unknownField) {
    return { field, label: field, problem: `unknown field; allowed: ${allowed}` };
  }
  const problem = expected === wholeProblem ? allowed : describeRefusal(input, allowed);
  return { field, label, problem };
}

/** Everything that is wrong with an input. A misspelt field is before what is missing for it. */
export function problemsOf(issues: readonly v.BaseIssue<unknown>[]): readonly InputProblem[] {
  const isUnknown = ({ expected }: v.BaseIssue<unknown>) => expected === unknownField;
  return [...issues.filter(isUnknown), ...issues.filter((one) => !isUnknown(one))].map(toProblem);
}

/** @throws {InputError} if there are problems, with all of them. */
export function refuseProblems(problems: readonly InputProblem[]): void {
  const [first, ...more] = problems;
  if (first !== undefined) throw new InputError([first, ...more]);
}

function describeRefusal(value: unknown, allowed: string): string {
  return `received ${show(value)}; allowed: ${allowed}`;
}

/** @throws {InputError} if there is something wrong. */
export function refuseWrong(field: string, wrong: Wrong | undefined): void {
  if (wrong !== undefined) refuseProblems([toInputProblem(field, wrong)]);
}

/** What is wrong with a field that the check of an input does not see. */
export function toInputProblem(field: string, { issue }: Wrong): InputProblem {
  return {
    field,
    label: labelOf(field),
    problem: describeRefusal(issue.input, issue.message ?? ''),
  };
}

/**
 * @param field the field as a program names it, e.g. `tokenLifetime`.
 * @param label what the message calls it; the name on the wire if left out.
 * @throws {InputError} always, with the value received and what is allowed.
 */
export function refuseInput(
  field: string,
  value: unknown,
  allowed: string,
  label: string = labelOf(field),
): never {
  throw new InputError(describeRefusal(value, allowed), { field, label });
}

/**
 * Reads one value by the rule of its field.
 *
 * @param facts those that the rule needs.
 * @throws {InputError} if it is not allowed.
 */
export function readField<const T extends v.GenericSchema>(
  field: string,
  schema: T,
  value: unknown,
  facts: Partial<RuleFacts> = {},
): v.InferOutput<T> {
  const fields: v.ObjectEntries = { [field]: schema };
  const { output, issues } = checkInput(exactly(fields), { [field]: value }, facts);
  refuseProblems(problemsOf(issues));
  return output[field];
}
