import type { Page } from 'playwright-core';

/** How a person uses a page. Each action fails if nothing on the page has the name. */
export interface Hands {
  readonly page: Page;
  /** Follows a link, or presses a button. */
  readonly press: (name: string | RegExp) => Promise<void>;
  /** Replaces the content of a field. A date is `2040-03-31`. */
  readonly type: (label: string | RegExp, text: string) => Promise<void>;
  /** Makes a choice, or checks a checkbox. */
  readonly check: (label: string | RegExp) => Promise<void>;
  /** Selects an entry of a list by its text. */
  readonly choose: (label: string | RegExp, text: string) => Promise<void>;
}

/** With a mouse, and the keyboard for text. */
export function mouse(page: Page): Hands {
  const named = (name: string | RegExp) =>
    page
      .getByRole('link', { name, exact: true })
      .or(page.getByRole('button', { name, exact: true }));
  const field = (label: string | RegExp) => page.getByLabel(label, { exact: true }).first();
  return {
    page,
    press: async (name) => {
      await named(name).filter({ visible: true }).first().click();
      await page.waitForLoadState();
    },
    type: (label, text) => field(label).fill(text),
    check: (label) => field(label).check(),
    choose: async (label, text) => {
      await field(label).selectOption({ label: text });
    },
  };
}

/** What has the focus: its kind, and its name for people. */
interface Focused {
  readonly kind: string;
  readonly name: string;
  readonly isChecked: boolean;
}

const describeFocus = `(() => {
  const one = document.activeElement;
  const label = one.labels?.[0]?.textContent ?? one.getAttribute('aria-label') ?? '';
  const isField = /^(INPUT|SELECT|TEXTAREA)$/.test(one.tagName);
  return {
    kind: one.type || one.tagName,
    name: (isField ? label : one.textContent).trim(),
    isChecked: one.checked === true,
  };
})()`;

/** Presses after which something is said to be out of reach: more than any page has. */
const maxPresses = 200;

/** Only with keys: Tab, Enter, Space, the arrows and text. */
export function keyboard(page: Page): Hands {
  const { keyboard: keys } = page;
  const look = () => page.evaluate<Focused>(describeFocus);
  const matches = (name: string, wanted: string | RegExp) =>
    typeof wanted === 'string' ? name === wanted : wanted.test(name);

  /** Tabs from the beginning of the page, or from where the focus is, until something fits. */
  async function reach(fits: (focused: Focused) => boolean, what: string): Promise<Focused> {
    for (let presses = 0; presses < maxPresses; presses++) {
      const focused = await look();
      if (fits(focused)) return focused;
      await keys.press('Tab');
    }
    throw new Error(`Tab does not reach ${what} on ${page.url()}`);
  }

  async function set(label: string | RegExp, wanted: boolean): Promise<void> {
    const { kind } = await reach(
      ({ kind: one, name }) =>
        one === 'radio' ? true : one === 'checkbox' && matches(name, label),
      String(label),
    );
    if (kind === 'checkbox') {
      if ((await look()).isChecked !== wanted) await keys.press('Space');
      return;
    }
    for (let presses = 0; presses < maxPresses; presses++) {
      const focused = await look();
      if (focused.kind === 'radio' && matches(focused.name, label)) {
        if (!focused.isChecked) await keys.press('Space');
        return;
      }
      // The last choice of a group is followed by its first one.
      await keys.press('ArrowDown');
      if (presses > 10) throw new Error(`the arrows do not reach ${String(label)}`);
    }
  }

  return {
    page,
    press: async (name) => {
      await reach(
        ({ kind, name: text }) => ['A', 'submit', 'SUMMARY'].includes(kind) && matches(text, name),
        String(name),
      );
      const navigated = page.waitForEvent('framenavigated');
      await keys.press('Enter');
      await navigated;
      await page.waitForLoadState();
    },
    type: async (label, text) => {
      const { kind } = await reach(
        ({ kind: one, name }) => one !== 'A' && matches(name, label),
        String(label),
      );
      const date = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
      if (kind === 'date' && date !== null) {
        const [, year = '', month = '', day = ''] = date;
        await keys.type(`${month}${day}${year}`);
        return;
      }
      await keys.press('ControlOrMeta+a');
      await keys.type(text);
    },
    check: (label) => set(label, true),
    choose: async (label, text) => {
      await reach(({ name }) => matches(name, label), String(label));
      await keys.type(text);
    },
  };
}
