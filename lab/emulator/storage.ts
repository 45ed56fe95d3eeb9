/** Receives a message when a folder of the state cannot be written to, and when it can again. */
export type OnStorage = (text: string) => void;

/** Codes of operating systems for a full disk. */
const noRoom = /no space left on device|disk quota exceeded|ENOSPC|EDQUOT/i;

/** Whether the reason of an error is a full disk. */
export function isNoRoom(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return noRoom.test(error.message) || isNoRoom(error.cause);
}

function describe(error: unknown): string {
  if (isNoRoom(error)) return 'no space left on device';
  return error instanceof Error ? error.message : String(error);
}

/** Tracks whether a service can write to its folder, and reports changes. */
export class StorageWatch {
  readonly #name: string;
  readonly #path: string;
  readonly #consequence: string;
  readonly #onStorage: OnStorage;
  #isFailing = false;

  /** @param consequence what this means for the user. */
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

/** The consequence for a service of this machine. */
export const answersUnavailable = 'It answers 503 until there is room.';
