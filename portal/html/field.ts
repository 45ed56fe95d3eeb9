import { type Html, type HtmlValue, html } from './html.ts';

interface Common {
  readonly name: string;
  readonly label: string;
  readonly hint?: HtmlValue;
  /** The problem of the content. */
  readonly error?: string | undefined;
}

const idOf = (name: string) => `f-${name.replace(/\W/g, '-')}`;

/** The id of one of several checkboxes of a name: no two values have the same one. */
const idOfValue = (name: string, value: string) =>
  `${idOf(name)}-${value.replace(/\W/g, (letter) => `-${letter.charCodeAt(0).toString(16)}-`)}`;

function describedBy({ name, hint, error }: Common): string {
  const id = idOf(name);
  return [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`]
    .filter((part) => part !== '')
    .join(' ');
}

function describe(field: Common): Html {
  const ids = describedBy(field);
  return html`${ids !== '' && html` aria-describedby="${ids}"`}${
    field.error !== undefined && html` aria-invalid="true"`
  }`;
}

function hintAndError({ name, hint, error }: Common): Html {
  const id = idOf(name);
  return html`${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}${
    error !== undefined && html`<p class="field-error" id="${id}-error">${error}</p>`
  }`;
}

/** A control with its label, its hint and its problem. */
function labelled(field: Common, control: Html): Html {
  return html`
    <div class="field${field.error === undefined ? '' : ' has-error'}">
      <label for="${idOf(field.name)}">${field.label}</label>
      ${hintAndError(field)}
      ${control}
    </div>
  `;
}

/** Controls under one legend, with their hint and their problem. */
export function fieldGroup(field: Common, controls: HtmlValue): Html {
  return html`
    <fieldset class="field${field.error === undefined ? '' : ' has-error'}" id="${idOf(field.name)}"${describe(field)}>
      <legend>${field.label}</legend>
      ${hintAndError(field)}${controls}
    </fieldset>
  `;
}

/** A value that is shown and sent, because there is nothing to choose. */
export function fixedField(field: Common & { readonly value: string }, more?: HtmlValue): Html {
  return html`
    <div class="field" id="${idOf(field.name)}">
      <p class="field-name">${field.label}</p>
      <p><code>${field.value}</code>${more}</p>
      ${hiddenField(field.name, field.value)}${
        field.error !== undefined && html`<p class="field-error">${field.error}</p>`
      }
    </div>
  `;
}

interface TextField extends Common {
  readonly value: string;
  readonly required?: boolean | undefined;
  readonly maxLength?: number | undefined;
  readonly width?: 'short' | 'medium' | undefined;
  readonly type?: 'text' | 'url' | 'date' | 'search' | undefined;
  readonly placeholder?: string | undefined;
  /** For ids and addresses: a font in which similar letters differ. */
  readonly isCode?: boolean | undefined;
  readonly suggestions?: readonly string[] | undefined;
}

export function textField(field: TextField): Html {
  const { name, value, required, maxLength, width, placeholder, suggestions } = field;
  const { type = 'text' } = field;
  const id = idOf(name);
  const list =
    suggestions &&
    html`<datalist id="${id}-list">${suggestions.map((one) => html`<option value="${one}"></option>`)}</datalist>`;
  const classes = [width ?? '', field.isCode === true ? 'code' : ''].join(' ').trim();
  return labelled(
    field,
    html`
      <input id="${id}" name="${name}" type="${type}" value="${value}" autocomplete="off" spellcheck="false"${
        classes !== '' && html` class="${classes}"`
      }${required === true && html` required`}${
        maxLength !== undefined && html` maxlength="${maxLength}"`
      }${placeholder !== undefined && html` placeholder="${placeholder}"`}${
        list && html` list="${id}-list"`
      }${describe(field)}>${list}
    `,
  );
}

export function textArea(field: Common & { readonly rows: number; readonly value: string }): Html {
  return labelled(
    field,
    html`
      <textarea id="${idOf(field.name)}" name="${field.name}" rows="${field.rows}" class="code" autocomplete="off" spellcheck="false"${describe(field)}>
        ${field.value}
      </textarea>
    `,
  );
}

export type Option = readonly [value: string, text: string];

export function selectField(
  field: Common & { readonly value: string; readonly options: readonly Option[] },
): Html {
  return labelled(
    field,
    html`
      <select id="${idOf(field.name)}" name="${field.name}"${describe(field)}>
        ${field.options.map(
          ([value, text]) =>
            html`<option value="${value}"${value === field.value ? html` selected` : ''}>${text}</option>`,
        )}
      </select>
    `,
  );
}

export function checkbox(
  field: Common & { readonly isOn: boolean; readonly value?: string },
): Html {
  const id = idOfValue(field.name, field.value ?? 'on');
  return html`
    <div class="check">
      <input type="checkbox" id="${id}" name="${field.name}" value="${field.value ?? 'on'}"${
        field.isOn ? html` checked` : ''
      }${field.hint === undefined ? '' : html` aria-describedby="${id}-hint"`}>
      <label for="${id}">${field.label}</label>
      ${field.hint === undefined ? '' : html`<p class="hint" id="${id}-hint">${field.hint}</p>`}
    </div>
  `;
}

/** Choices, of which one is selected. Content of a choice is below it. */
export function radioGroup(
  field: Common & {
    /** Name of the form field. The default is that of the problem's field. */
    readonly group?: string | undefined;
    readonly value: string;
    readonly options: readonly {
      readonly value: string;
      readonly text: string;
      readonly more?: Html;
    }[];
  },
): Html {
  const id = idOf(field.name);
  return fieldGroup(
    field,
    field.options.map(
      ({ value, text, more }) =>
        html`
        <div class="check">
          <input type="radio" id="${id}-${value}" name="${field.group ?? field.name}" value="${value}"${
            value === field.value ? html` checked` : ''
          }>
          <label for="${id}-${value}">${text}</label>
          ${more}
        </div>
      `,
    ),
  );
}

export function hiddenField(name: string, value: string | number): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`;
}

/** The id of a field on the page, for links from the error summary. */
export function fieldAnchor(name: string): string {
  return `#${idOf(name)}`;
}
