import type { RouteResult } from '../request-context.ts';
import { type Problems, problemsOf } from './problems.ts';

/**
 * Runs the change of a form. If it is refused, the form is shown again with its content.
 *
 * @param again shows the form with its problems.
 */
export async function submit(
  act: () => Promise<RouteResult>,
  again: (problems: Problems) => RouteResult | Promise<RouteResult>,
): Promise<RouteResult> {
  try {
    return await act();
  } catch (error) {
    const problems = problemsOf(error);
    if (problems === undefined) throw error;
    return again(problems);
  }
}
