import { html as honoHtml } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';

/** Markup that is safe to send: every value in it was escaped. */
export type Html = HtmlEscapedString;

/** A value that a template accepts. Text is escaped; false and undefined leave nothing. */
export type HtmlValue = string | number | Html | false | undefined | readonly HtmlValue[];

/** The only way to make markup: a template whose values are escaped. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  // A template is only awaited if one of its values is a promise, which the type excludes.
  return honoHtml(strings, ...(values as unknown[])) as Html;
}
