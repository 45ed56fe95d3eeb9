import { InputError, type Management, type OperationName } from '../../adapters/management.ts';
import { sayAsDuration } from '../../core/duration.ts';
import { toPathPart } from '../client-path.ts';
import { hiddenField } from '../html/field.ts';
import { type FormParts, postForm } from '../html/form.ts';
import { type Html, html } from '../html/html.ts';
import type { Crumb } from '../html/parts.ts';
import { HttpError } from '../http-error.ts';
import type { Handler, HtmlPage, RequestContext, RouteResult } from '../request-context.ts';
import { TypedDuration } from './duration.ts';
import {
  type FieldProblem,
  type Fields,
  FormError,
  noProblems,
  type Problems,
  problemsOf,
} from './problems.ts';

/** What a form gives an operation: its last argument, without what every form has of its own. */
export type InputOf<Name extends OperationName> =
  Required<Parameters<Management[Name]>> extends readonly [...unknown[], infer Last]
    ? Omit<Last, 'ifVersion' | 'idempotencyKey'>
    : never;

/** What an operation takes. A function reads what was typed, and can refuse it. */
export type Readers<Input> = {
  readonly [Field in keyof Input]: Input[Field] | (() => Input[Field] | TypedDuration);
};

/** What a page shows instead of a form that would be refused in any case. */
export class Instead {
  readonly result: RouteResult;

  constructor(result: RouteResult) {
    this.result = result;
  }
}

/** A form as its page shows it. */
export interface Shown<Subject, Values> {
  readonly subject: Subject;
  /** As stored, or as typed. */
  readonly values: Values;
  readonly problems: Problems;
  /** Whether `subject` was changed since the form was opened: it has the stored values. */
  readonly isConflict: boolean;
  /** What a button of the form asked for, above its fields. */
  readonly above?: Html | undefined;
}

/** The page of a form. Cancel leads to the page above it. */
export interface FormPage extends Omit<HtmlPage, 'status' | 'problems' | 'body'>, FormParts {
  readonly crumbs: readonly Crumb[];
}

/** A form that was sent. */
interface Sent<Values, Input> {
  readonly values: Values;
  readonly input: Input;
  /** Undefined for a form without a version. */
  readonly ifVersion: number | undefined;
  /** Undefined for a form that creates nothing. */
  readonly idempotencyKey: string | undefined;
  /** Shows the form again, for a button that changes nothing. */
  readonly showAgain: (above?: Html) => Promise<RouteResult>;
}

/** One form of the portal: everything that is different between it and the others. */
export interface Form<Subject, Values, Input = unknown> {
  /** What it does. A role that may not use the operation sees no form. */
  readonly operation: OperationName;
  /** Reads what it is about. A refused form reads it again. */
  readonly find: (context: RequestContext) => Promise<Subject>;
  /**
   * The version of the subject. The form carries it, so a change that another user made since it
   * was opened is a conflict. A form that only stops something has none: stopping wins.
   */
  readonly version?: (subject: Subject) => number;
  /** Whether it creates something, once for each time that the form was opened. */
  readonly creates?: boolean;
  /** The content of a new form. */
  readonly start: (
    context: RequestContext,
    subject: Subject,
  ) => Values | Instead | Promise<Values | Instead>;
  /** The content as typed. */
  readonly read: (form: Fields) => Values;
  /** What is said about an empty field, instead of what the library says. */
  readonly required?: Readonly<Record<string, string>>;
  /** The content as the operation takes it. */
  readonly input?: (values: Values, context: RequestContext) => Readers<Input>;
  /** Makes the change. */
  readonly act: (context: RequestContext, sent: Sent<Values, Input>) => Promise<RouteResult>;
  readonly look: (
    context: RequestContext,
    shown: Shown<Subject, Values>,
  ) => FormPage | HtmlPage | Promise<FormPage | HtmlPage>;
}

/** For a form that only confirms. */
export const noValues = { start: () => undefined, read: () => undefined };

/** The version of most subjects. */
export const ownVersion = ({ version }: { readonly version: number }) => version;

/** No field of an operation allows it, so a call with it changes nothing. */
const unreadable = Number.NaN;

type InputProblem = InputError['problems'][number];

/** What was typed as the operation takes it. A field with a problem is unreadable for the library. */
function readInput(
  form: Fields,
  required: Readonly<Record<string, string>>,
  readers: Readonly<Record<string, unknown>>,
) {
  const input = { ...readers };
  // What the portal itself says about fields.
  const problems: FieldProblem[] = [];
  // Durations as they were typed, by their fields.
  const typed = new Map<string, string>();
  for (const [field, reader] of Object.entries(readers)) {
    const message = required[field];
    try {
      if (message !== undefined && form.all(field).every((value) => value.trim() === '')) {
        throw new FormError([{ field, message }]);
      }
      if (typeof reader !== 'function') continue;
      const value: unknown = (reader as () => unknown)();
      input[field] = value instanceof TypedDuration ? value.seconds : value;
      if (value instanceof TypedDuration) typed.set(field, value.text);
    } catch (error) {
      if (!(error instanceof FormError)) throw error;
      input[field] = unreadable;
      problems.push(...error.fields);
    }
  }
  return { input, problems, typed };
}

/** @param typed what a person typed for the durations, by their fields. */
export function sayDurations(error: InputError, typed: ReadonlyMap<string, string>): InputError {
  const say = (problem: InputProblem): InputProblem => {
    const text = typed.get(problem.field ?? '');
    return text === undefined
      ? problem
      : { ...problem, problem: sayAsDuration(problem.problem, text) };
  };
  const [first, ...more] = error.problems;
  return new InputError([say(first), ...more.map(say)], { cause: error });
}

/** All problems of a form: those of the portal, and what the library says about other fields. */
function withOwnProblems(read: ReturnType<typeof readInput>, error: unknown): unknown {
  const { problems: own, typed } = read;
  if (!(error instanceof InputError)) return error;
  const said = sayDurations(error, typed);
  if (own.length === 0) return said;
  const known = new Set(own.map(({ field }) => field));
  const others = problemsOf(said)?.fields.filter(({ field }) => !known.has(field)) ?? [];
  return new FormError([...own, ...others]);
}

/**
 * Runs what a form asks for.
 *
 * @param again shows the form with its problems, if it is refused.
 */
export async function submit(
  act: () => Promise<RouteResult>,
  again: (problems: Problems) => RouteResult | Promise<RouteResult>,
): Promise<RouteResult> {
  try {
    return await act();
  } catch (error) {
    const problems = problemsOf(error);
    if (problems === undefined) throw error;
    return again(problems);
  }
}

/** What the portal must get back with a form. */
interface Kept {
  readonly ifVersion: number | undefined;
  readonly requestId: string;
}

type Keeping = Pick<Form<never, never>, 'version' | 'creates'>;

/** @throws {HttpError} 400 if the version is missing. */
function readKept({ version, creates }: Keeping, form: Fields): Kept {
  const requestId = creates === true ? form.text('requestId') : '';
  if (version === undefined) return { ifVersion: undefined, requestId };
  const text = form.text('ifVersion');
  if (!/^\d{1,15}$/.test(text)) throw new HttpError(400);
  return { ifVersion: Number(text), requestId };
}

/** The address of a form, with the names of the path replaced. */
function addressOf({ href, id }: RequestContext, path: string): string {
  const toPart = (name: string) =>
    name === 'clientId' ? toPathPart(id(name)) : encodeURIComponent(id(name));
  return href(path.replace(/:(\w+)/g, (_, name: string) => toPart(name)));
}

/** @param place its address, and what the portal must get back. */
async function show<Subject, Values>(
  context: RequestContext,
  { look }: Pick<Form<Subject, Values>, 'look'>,
  shown: Shown<Subject, Values>,
  place: { readonly action: string; readonly kept: Html },
): Promise<HtmlPage> {
  const page = await look(context, shown);
  const { problems } = shown;
  if ('body' in page) return { ...page, status: page.status ?? problems.status };
  const cancel = page.crumbs.at(-1)?.href ?? context.href(`/${page.section}`);
  return { ...page, problems, body: postForm(page, { ...place, cancel }) };
}

/** The version that a form, or a button, was made from. */
export function versionField(version: number): Html {
  return hiddenField('ifVersion', version);
}

function keptFields({ ifVersion, requestId }: Kept, { creates }: Keeping): Html {
  return html`${creates === true && hiddenField('requestId', requestId)}${
    ifVersion !== undefined && versionField(ifVersion)
  }`;
}

/** Shows a new form. */
export function showForm<Subject, Values, Input>(
  form: Form<Subject, Values, Input>,
  path: string,
): Handler {
  return async (context) => {
    context.require(form.operation);
    const subject = await form.find(context);
    const values = await form.start(context, subject);
    if (values instanceof Instead) return values.result;
    const kept = { ifVersion: form.version?.(subject), requestId: context.newRequestId() };
    const shown = { subject, values, problems: noProblems, isConflict: false };
    const place = { action: addressOf(context, path), kept: keptFields(kept, form) };
    return show(context, form, shown, place);
  };
}

/**
 * Makes the change of a form. If it is refused, the form is shown again with its content: after a
 * conflict with the version that is stored now, and with another id if it had created something.
 */
export function sendForm<Subject, Values, Input>(
  form: Form<Subject, Values, Input>,
  path: string,
): Handler {
  return async (context) => {
    context.require(form.operation);
    const values = form.read(context.form);
    const sent = readKept(form, context.form);
    const again = async (problems: Problems, above?: Html) => {
      const subject = await form.find(context);
      const isConflict = problems.status === 409;
      const requestId = problems.wasSentBefore === true ? context.newRequestId() : sent.requestId;
      const ifVersion = isConflict ? form.version?.(subject) : sent.ifVersion;
      const kept = keptFields({ requestId, ifVersion }, form);
      const place = { action: addressOf(context, path), kept };
      return show(context, form, { subject, values, problems, isConflict, above }, place);
    };
    return submit(async () => {
      const readers = form.input?.(values, context) ?? {};
      const read = readInput(context.form, form.required ?? {}, readers);
      try {
        return await form.act(context, {
          values,
          // Every member of `Input` is a member of its readers.
          input: read.input as Input,
          ifVersion: sent.ifVersion,
          idempotencyKey: sent.requestId || undefined,
          showAgain: (above) => again(noProblems, above),
        });
      } catch (error) {
        throw withOwnProblems(read, error);
      }
    }, again);
  };
}
