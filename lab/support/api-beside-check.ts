import { findFreePort } from '../emulator/loopback-server.ts';
import { startForwardAuthProcess } from './forward-auth-process.ts';
import { OutputProcess } from './output-process.ts';
import type { Command } from './run-command.ts';
import { answers, waitUntil } from './wait-until.ts';

/**
 * Starts an API of examples/python-api, and the forward-auth that it asks.
 *
 * @param environment of a local run, or of `startLocal`.
 */
export async function startBesideCheck(
  command: Command,
  environment: Readonly<Record<string, string>>,
) {
  const { ISSUER = '', AUDIENCE = '', TABLES = '' } = environment;
  const args = ['--issuer', ISSUER, '--audience', AUDIENCE, '--tables', TABLES];
  const check = await startForwardAuthProcess({
    args: [...args, '--client-address-header', 'X-Real-IP'],
    environment,
  });
  const PORT = String(await findFreePort());
  const env = { ...process.env, ...environment, CHECK_URL: check.address, PORT };
  const service = new OutputProcess(command, { env });
  const url = `http://127.0.0.1:${PORT}/messages`;
  const close = async (): Promise<void> => {
    await service.stop();
    await check.stop();
  };
  try {
    await waitUntil('the API answers', () => answers(url, () => true), service);
  } catch (error) {
    await close();
    throw new Error(`${String(error)}\n${service.errors.slice(-2000)}`, { cause: error });
  }
  return { url, close };
}
