import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { CreateError } from './create-error.ts';
import type { Choices } from './project.ts';

/** Where a project goes, and what is in it. */
export interface Request extends Choices {
  readonly help: boolean;
  readonly folder: string;
}

export const usage = `usage: npm create @authorization-server-aws [FOLDER] -- [--region REGION] [--audience URI]

  FOLDER      a new or empty folder; default authorization-server
  --region    AWS region; default AWS_REGION, or us-west-2
  --audience  the audience of access tokens: the URI of your API; default https://api.example.com
`;

type Variables = Readonly<Record<string, string | undefined>>;

function readFlags(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        region: { type: 'string' },
        audience: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CreateError(`${reason}\n${usage}`, { cause: error });
  }
}

/** Asks one question. An empty answer is the default. */
export type Ask = (question: string, otherwise: string) => Promise<string>;

/** Questions on a terminal; no question where there is none, so that a script does not hang. */
export async function withQuestions<T>(
  { stdin, stdout }: Pick<NodeJS.Process, 'stdin' | 'stdout'>,
  use: (ask: Ask) => Promise<T>,
): Promise<T> {
  if (!stdin.isTTY || !stdout.isTTY) return use(async (_, otherwise) => otherwise);
  const terminal = createInterface({ input: stdin, output: stdout });
  try {
    return await use(async (question, otherwise) => {
      const answer = await terminal.question(`${question} (${otherwise}): `);
      return answer.trim() || otherwise;
    });
  } finally {
    terminal.close();
  }
}

/**
 * What the person wants: from the arguments, and what these leave out from questions.
 *
 * @throws {CreateError} for an argument that is not known.
 */
export async function readRequest(
  args: readonly string[],
  variables: Variables,
  ask: Ask,
): Promise<Request> {
  const { values, positionals } = readFlags(args);
  const [folder, ...others] = positionals;
  if (others.length > 0) {
    throw new CreateError(`received ${positionals.length} folders; allowed: one\n${usage}`);
  }
  const help = values.help ?? false;
  const answer = async (given: string | undefined, question: string, otherwise: string) =>
    given ?? (help ? otherwise : await ask(question, otherwise));
  return {
    help,
    folder: await answer(folder, 'Folder', 'authorization-server'),
    awsRegion: await answer(values.region, 'AWS region', variables['AWS_REGION'] || 'us-west-2'),
    audience: await answer(values.audience, 'URI of your API', 'https://api.example.com'),
  };
}
