import type { StartLoginPortal } from './portal-login/start.ts';

/** What differs between `npm start` in a clone and the command of the package. */
export interface Edition {
  /** How a person called it, for messages. */
  readonly name: string;
  /** The same before flags. */
  readonly withFlags: string;
  /** The folder that gets `.local`, unless a flag names another. */
  readonly directory: string;
  /** What needs packages that only a clone installs. */
  readonly extras?: { readonly loadLoginPortal: () => Promise<StartLoginPortal> };
}
