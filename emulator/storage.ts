/** Hears a sentence when a folder of the state cannot be written to, and when it can again. */
export type OnStorage = (text: string) => void;

/** What operating systems say of a write for which there is no room. */
const noRoom = /no space left on device|disk quota exceeded|ENOSPC|EDQUOT/i;

/** Whether an error, or what caused it, is that there is no room. */
export function isNoRoom(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return noRoom.test(error.message) || isNoRoom(error.cause);
}

function describe(error: unknown): string {
  if (isNoRoom(error)) return 'no space left on device';
  return error instanceof Error ? error.message : String(error);
}

/** Keeps in mind whether something can write to its folder, and says so when that changes. */
export class StorageWatch {
  readonly #name: string;
  readonly #path: string;
  readonly #consequence: string;
  readonly #onStorage: OnStorage;
  #isFailing = false;

  /** @param consequence what follows for the person at the terminal. */
  constructor(name: string, path: string, consequence: string, onStorage: OnStorage = () => {}) {
    this.#name = name;
    this.#path = path;
    this.#consequence = consequence;
    this.#onStorage = onStorage;
  }

  failed(error: unknown): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#onStorage(
      `${this.#name} cannot write to ${this.#path}: ${describe(error)}. ${this.#consequence}`,
    );
  }

  worked(): void {
    if (!this.#isFailing) return;
    this.#isFailing = false;
    this.#onStorage(`${this.#name} writes to ${this.#path} again.`);
  }
}

/** What a service of this machine does while it cannot write. */
export const answersUnavailable = 'It answers 503 until there is room.';
