import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import { once } from 'node:events';

/** A script of this project in a process of its own, which answers questions one by one. */
interface ChildScript<Started, Question, Answer> {
  readonly child: ChildProcess;
  /** What the script said when it was ready. */
  readonly started: Started;
  readonly ask: (question: Question) => Promise<Answer>;
  /** Ends the script. */
  readonly close: () => Promise<void>;
}

/** @throws {Error} also at a question, if the process ends before it is closed. */
export async function startChildScript<Started, Question, Answer>(
  path: string,
  options: ForkOptions = {},
): Promise<ChildScript<Started, Question, Answer>> {
  const child = fork(path, { execArgv: [], ...options });
  const exited = once(child, 'exit');
  const died = exited.then(([code]) => {
    throw new Error(`${path} ended (${String(code)})`);
  });
  died.catch(() => undefined);
  const hear = async <T>(): Promise<T> => {
    const [message] = (await Promise.race([once(child, 'message'), died])) as [T];
    return message;
  };
  const started = await hear<Started>();
  let last: Promise<unknown> = Promise.resolve();
  return {
    child,
    started,
    ask: (question) => {
      const answer = last.then(() => {
        const heard = hear<Answer>();
        child.send(question as never);
        return heard;
      });
      last = answer.catch(() => undefined);
      return answer;
    },
    close: async () => {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

/** The script's side: says that it is ready, then answers until its parent closes it. */
export function answerParent(
  started: object,
  answer: (question: never) => unknown,
  close: () => Promise<void> | void = () => undefined,
): void {
  process.on('message', (question) => {
    void Promise.resolve(answer(question as never)).then((value) => process.send?.(value ?? null));
  });
  process.on('disconnect', () => void Promise.resolve(close()).finally(() => process.exit()));
  process.send?.(started);
}
