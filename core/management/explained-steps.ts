import { OAuthError, type OAuthErrorReason } from '../oauth-error.ts';

/** One step of a token request with its result. */
export interface ExplainedStep {
  readonly step: string;
  readonly outcome: 'passed' | 'refused';
  readonly detail: string;
}

/** A step that refuses, with more detail than the client would see. */
export class RefusedStep extends Error {
  override readonly name = 'RefusedStep';
  readonly oauth: OAuthError;

  constructor(reason: OAuthErrorReason, detail: string) {
    super(detail);
    this.oauth = new OAuthError(reason);
  }
}

/** Takes the steps of a token request one by one and records the result of each. */
export class ExplainedSteps {
  readonly #taken: ExplainedStep[] = [];

  get taken(): readonly ExplainedStep[] {
    return this.#taken;
  }

  /**
   * @param describe the detail if the step passes.
   * @param known the possible choices, as the detail if the step refuses.
   * @throws {OAuthError} the error that the token endpoint would return.
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

  add(step: string, outcome: ExplainedStep['outcome'], detail: string): void {
    this.#taken.push({ step, outcome, detail });
  }
}
