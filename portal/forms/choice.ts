import { FormError } from './problems.ts';

/** A field of text that belongs to one of several choices. */
interface ChoiceField {
  /** The name of the group, for its problem. */
  readonly field: string;
  /** The label of the choice that the text belongs to. */
  readonly label: string;
  readonly isChosen: boolean;
  readonly text: string;
  /** What the text is, e.g. `the day`. */
  readonly what?: string | undefined;
}

/**
 * Text that was typed for a choice counts only with that choice. It is refused without it, because
 * a form that ignores the text changes something else than its user believes.
 *
 * @throws {FormError} if there is text and another choice.
 */
export function requireChoice({ field, label, isChosen, text, what }: ChoiceField): void {
  const typed = text.trim();
  if (isChosen || typed === '') return;
  const received = `${what === undefined ? '' : `${what} `}“${typed.slice(0, 40)}”`;
  const message = `Received ${received} without the choice “${label}”. This choice is selected now: send the form again, or clear the text and select another choice.`;
  throw new FormError([{ field, message }]);
}
