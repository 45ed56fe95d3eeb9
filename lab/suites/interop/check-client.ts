import { readFileSync } from 'node:fs';
import { sendRequest } from '../../emulator/http-exchange.ts';
import type { Command } from '../../support/run-command.ts';
import type { World } from '../examples/world.ts';
import type { TokenClient } from './clients.ts';
import { type Answer, startProgram, type Variables } from './running-program.ts';

/** Calls of a platform API, each of which needs a token. */
export const calls = 3;

export interface TokenAnswer extends Answer {
  readonly token?: string;
}

export interface ClientRow {
  readonly client: TokenClient;
  readonly asItComes: string;
  /** Token requests for {@link calls} calls: tokens that live an hour, and a minute. */
  readonly hour: number;
  readonly minuteAsItComes: number | undefined;
  readonly minute: number;
  /** Token requests of one call with a wrong secret. */
  readonly wrongSecret: number;
  readonly problems: readonly string[];
}

/** With the world's own certificate: two authorities of the same name confuse `fetch`. */
async function callApi({ service, trust }: World, token: string, expected: number) {
  const headers = { authorization: `Bearer ${token}` };
  const options = { headers, ca: readFileSync(trust.caPath, 'utf8'), agent: false };
  const { status } = await sendRequest(service.exampleUrl, options);
  return status === expected ? undefined : `the API answered ${status} to its token`;
}

/**
 * Gets tokens with a program that has just started, and calls the example API with each.
 *
 * @param expected what the example API answers when a token is sent as a bearer token.
 * @returns the token requests that the calls took, and why the last one failed.
 */
export async function runCalls(
  command: Command,
  world: World,
  variables: Variables,
  { count = calls, expected = 200 } = {},
) {
  const program = startProgram<object, TokenAnswer>(command, {
    ...world.environment,
    ...variables,
  });
  world.takeTokenRequests();
  let why: string | undefined;
  try {
    for (let call = 0; call < count && why === undefined; call += 1) {
      const { token, why: refused = 'no token' } = await program.ask({});
      why = token === undefined ? refused : await callApi(world, token, expected);
    }
  } finally {
    await program.close();
  }
  return { requests: world.takeTokenRequests(), why };
}

/** The services that a client meets, which may be the same one. */
interface Worlds {
  readonly usual: World;
  /** Has what the client needs of its deployment. */
  readonly ready: World;
}

/** Runs a client as it comes and with its lines, with tokens of an hour and of a minute. */
export async function checkClient(
  client: TokenClient,
  program: Command,
  worlds: Worlds,
): Promise<ClientRow> {
  const run = (mode: 'default' | 'ready', isShort = false) => {
    const world = mode === 'ready' ? worlds.ready : worlds.usual;
    return runCalls([...program, client.program, mode], world, isShort ? world.shortLived : {});
  };
  const asItComes = await run('default');
  const hour = await run('ready');
  const minuteAsItComes = await run('default', true);
  const minute = await run('ready', true);
  const { needs, failsAsItComes } = client;
  const wrong = await runCalls(
    [...program, client.program, failsAsItComes === undefined ? 'default' : 'ready'],
    worlds.ready,
    { CLIENT_SECRET: 'secret_of_no_client' },
    { count: 1 },
  );
  const problems = [
    failsAsItComes === undefined && asItComes.why !== undefined && `as it comes: ${asItComes.why}`,
    failsAsItComes !== undefined && asItComes.why === undefined && 'works as it comes',
    hour.why !== undefined && `ready: ${hour.why}`,
    minute.why !== undefined && `tokens of a minute: ${minute.why}`,
    minute.requests !== hour.requests && `${minute.requests} requests for tokens of a minute`,
    wrong.why === undefined && 'a wrong secret got a token',
    needs === undefined &&
      minuteAsItComes.requests !== hour.requests &&
      'needs a line for tokens of a minute',
  ];
  return {
    client,
    asItComes: asItComes.why === undefined ? 'works' : `fails: ${failsAsItComes ?? asItComes.why}`,
    hour: hour.requests,
    minuteAsItComes: asItComes.why === undefined ? minuteAsItComes.requests : undefined,
    minute: minute.requests,
    wrongSecret: wrong.requests,
    problems: problems.filter((problem) => typeof problem === 'string'),
  };
}
