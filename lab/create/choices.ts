import { parseArgs } from 'node:util';
import { askQuestion } from '../../cli/terminal.ts';
import { type Choices, CreateError, checkAudience, checkFolder, checkRegion } from './project.ts';

/** Where a project goes, and what is in it. */
interface Request extends Choices {
  readonly help: boolean;
  readonly folder: string;
  /** Folder of the archives that it installs; undefined for those of the npm registry. */
  readonly packages: string | undefined;
}

export const usage = `usage: create [FOLDER] [--region REGION] [--audience URI] [--packages FOLDER]

  FOLDER      a new or empty folder; default authorization-server
  --region    AWS region; default AWS_REGION, or us-west-2
  --audience  the audience of access tokens: the URI of your API; default https://api.example.com
  --packages  folder of the archives of a release, which the project installs in place of the
              packages in the npm registry
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
        packages: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CreateError(`${reason}\n${usage}`, { cause: error });
  }
}

/** Asks a question until `check` accepts the answer. An empty answer is the default. */
export type Ask = (
  question: string,
  otherwise: string,
  check: (answer: string) => void,
) => Promise<string>;

/**
 * Questions on a terminal; no question where there is none, so that a script does not hang.
 *
 * @throws {CreateError} if the input ends in place of an answer.
 * @throws {InterruptedError} after Ctrl-C.
 */
export function askOn({ stdin, stdout }: Pick<NodeJS.Process, 'stdin' | 'stdout'>): Ask {
  return async (question, otherwise, check) => {
    if (!stdin.isTTY || !stdout.isTTY) return otherwise;
    for (;;) {
      const answer = await askQuestion(stdin, stdout, `${question} (${otherwise}): `);
      if (answer === undefined) throw new CreateError('cancelled; nothing was written');
      try {
        check(answer || otherwise);
        return answer || otherwise;
      } catch (error) {
        if (!(error instanceof CreateError)) throw error;
        stdout.write(`${error.message}\n`);
      }
    }
  };
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
  const answer = async (flag: string | undefined, ...question: Parameters<Ask>) =>
    flag ?? (help ? question[1] : await ask(...question));
  const region = variables['AWS_REGION'] || 'us-west-2';
  return {
    help,
    folder: await answer(folder, 'Folder', 'authorization-server', checkFolder),
    awsRegion: await answer(values.region, 'AWS region', region, checkRegion),
    audience: await answer(
      values.audience,
      'URI of your API',
      'https://api.example.com',
      checkAudience,
    ),
    packages: values.packages,
  };
}
