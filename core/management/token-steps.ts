import { OAuthError, type RefusalReason } from '../oauth-error.ts';

/** One step of a token request, and what would come of it. */
export interface TokenStep {
  readonly step: string;
  readonly outcome: 'passed' | 'refused';
  readonly detail: string;
}

/** A step that refuses, with more to say than the client would hear. */
export class RefusedStep extends Error {
  override readonly name = 'RefusedStep';
  readonly oauth: OAuthError;

  constructor(reason: RefusalReason, detail: string) {
    super(detail);
    this.oauth = new OAuthError(reason);
  }
}

/** Takes the steps of a token request one by one and keeps what came of each. */
export class TokenSteps {
  readonly #taken: TokenStep[] = [];

  get taken(): readonly TokenStep[] {
    return this.#taken;
  }

  /**
   * @param describe what to say if the step passes.
   * @param known what there is to choose from, for if it refuses.
   * @throws {OAuthError} what the token endpoint would answer.
   */
  take<T>(step: string, run: () => T, describe: (result: T) => string, known?: string): T {
    try {
      const result = run();
      this.add(step, 'passed', describe(result));
      return result;
    } catch (error) {
      const oauth = error instanceof RefusedStep ? error.oauth : error;
      if (!(oauth instanceof OAuthError)) throw error;
      const detail = error instanceof RefusedStep ? error.message : (known ?? oauth.description);
      this.add(step, 'refused', detail);
      throw oauth;
    }
  }

  add(step: string, outcome: TokenStep['outcome'], detail: string): void {
    this.#taken.push({ step, outcome, detail });
  }
}
