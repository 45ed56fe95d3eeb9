import type { Problems } from '../forms/problems.ts';
import { fieldAnchor } from './field.ts';
import { type Html, type HtmlValue, html } from './html.ts';

/** The name of a field that the form does not have: `externalClientId` is `External client id`. */
function inWords(field: string): string {
  const words = field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** A value inside of a field that the form shows as one is at that field. */
function linkTo(field: string, labels: Labels): Html {
  const [outer = field] = field.split('[');
  const at = labels[field] === undefined && labels[outer] !== undefined ? outer : field;
  return html`<a href="${fieldAnchor(at)}">${labels[at] ?? inWords(at)}</a>`;
}

/**
 * The problems of the form, with a link to each field. It comes first, and screen readers announce
 * it.
 */
export function errorSummary({ fields, general }: Problems, labels: Labels): Html | '' {
  if (fields.length === 0 && general === undefined) return '';
  return html`
    <div class="summary" role="alert" tabindex="-1" autofocus aria-labelledby="summary-title">
      <h2 id="summary-title">There is a problem</h2>
      ${general !== undefined && html`<p>${general}</p>`}${
        fields.length > 0 &&
        html`<ul>${fields.map(
          ({ field, message }) => html`<li>${linkTo(field, labels)}: ${message}</li>`,
        )}</ul>`
      }
    </div>
  `;
}

/** The labels of a form's fields, for the summary. */
export type Labels = Readonly<Record<string, string>>;

/** A form that a page shows. */
export interface FormParts {
  readonly fields: HtmlValue;
  readonly submit: string;
  readonly submitKind?: 'danger' | undefined;
  /** Whether the fields have a button. Enter must not press it. */
  readonly hasOtherButtons?: boolean | undefined;
  /** After the button that sends the form. */
  readonly otherButtons?: Html | undefined;
  /** Between the problems and the form. */
  readonly above?: Html | undefined;
}

/** Enter presses the first button of a form. This one is neither seen nor reached. */
const defaultButton = html`
  <button class="visually-hidden" type="submit" tabindex="-1" aria-hidden="true">Send</button>
`;

/** A form that sends only once: the script ignores a second click during the first request. */
export function postForm(
  parts: FormParts,
  { action, kept, cancel }: Readonly<Record<'action' | 'cancel', string>> & { readonly kept: Html },
): Html {
  return html`
    ${parts.above}
    <form class="sheet" method="post" action="${action}" data-once>
      ${parts.hasOtherButtons === true && defaultButton}${kept}${parts.fields}
      <div class="form-actions">
        <button class="button button-${parts.submitKind ?? 'primary'}" type="submit">
          ${parts.submit}
        </button>
        ${parts.otherButtons}<a class="button button-plain" href="${cancel}">Cancel</a>
      </div>
    </form>
  `;
}

/** A button that makes a change at once, for changes that can be undone. */
export function actionButton(
  action: string,
  text: string,
  hidden: HtmlValue,
  kind: 'plain' | 'primary' | 'danger' = 'plain',
): Html {
  return html`
    <form method="post" action="${action}" class="inline" data-once>
      ${hidden}
      <button class="button button-${kind}" type="submit">${text}</button>
    </form>
  `;
}
