import { secondsOrTyped } from '../../core/duration.ts';

/** Seconds, with the text that a person typed for them. */
export class TypedDuration {
  readonly seconds: number;
  readonly text: string;

  constructor(text: string) {
    this.seconds = secondsOrTyped(text.replace(/\s/g, '').toLowerCase());
    this.text = text;
  }
}
