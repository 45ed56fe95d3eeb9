import { html as honoHtml } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';

/** Markup that is safe to send: every value in it was escaped. */
export type Html = HtmlEscapedString;

/** A value that a template accepts. Text is escaped; false and undefined leave nothing. */
export type HtmlValue = string | number | Html | false | undefined | readonly HtmlValue[];

/** The strings of each template of the source, without its line breaks. */
const joined = new WeakMap<TemplateStringsArray, TemplateStringsArray>();

/** Next to a tag, a value or the end of the template, a line break leaves nothing. */
const outerBreak = /(?<=>|^)\s*\n\s*|\s*\n\s*(?=<|$)/g;

function joinLines(strings: TemplateStringsArray): TemplateStringsArray {
  const lines = strings.map((text) => text.replace(outerBreak, '').replace(/\s*\n\s*/g, ' '));
  // The library reads only the strings themselves, never `raw`.
  const result = lines as unknown as TemplateStringsArray;
  joined.set(strings, result);
  return result;
}

/**
 * The only way to make markup: a template whose values are escaped. Its lines are joined as in JSX:
 * a line break with its indentation is a space between words, and nothing elsewhere.
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  // A template is only awaited if one of its values is a promise, which the type excludes.
  return honoHtml(joined.get(strings) ?? joinLines(strings), ...(values as unknown[])) as Html;
}
