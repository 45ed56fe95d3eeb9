import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import {
  type ForwardAuthProcess,
  startForwardAuthProcess,
} from '../../scripts/support/forward-auth-process.ts';
import { withLocalService } from '../../scripts/support/with-local-service.ts';
import { formatTable, replacePart } from '../report/markdown.ts';
import { cpuSeconds, peakMegabytes } from './process-usage.ts';

/*
 * `node bench/forward-auth/main.ts` measures CPU time and memory of the check, next to bare node:http
 * and to jose on node:http, and writes its part of docs/performance.md. Linux only. All figures
 * are of one run, and CPU time hardly depends on what else the machine does; ratios count.
 */

const root = resolve(import.meta.dirname, '../..');
const command = join(root, 'packages/verifier/dist/forward-auth.js');
const reference = join(import.meta.dirname, 'reference-server.ts');

/** Enough for the compiler to settle, then enough ticks of 10 ms for a figure within 2 %. */
const warmUp = 3000;
const measured = 8000;
const connections = 16;

interface Figures {
  readonly cpuUs: number;
  readonly megabytes: number;
}

function get(url: string, credential: string, agent: Agent): Promise<number> {
  const headers = { authorization: `Bearer ${credential}`, 'x-real-ip': '127.0.0.1' };
  return new Promise((done, reject) => {
    const outgoing = request(url, { agent, headers }, (response) => {
      response.resume().on('end', () => done(response.statusCode ?? 0));
    });
    outgoing.on('error', reject).end();
  });
}

async function send(url: string, credential: string, count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let left = count;
  const run = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      assert.equal(await get(url, credential, agent), 200);
    }
  };
  await Promise.all(Array.from({ length: connections }, run));
  agent.destroy();
}

async function measure(running: ForwardAuthProcess, credential: string): Promise<Figures> {
  const url = `${running.address}/verify/messaging:view`;
  const { pid = 0 } = running.child;
  await send(url, credential, warmUp);
  const before = cpuSeconds(pid);
  await send(url, credential, measured);
  const cpuUs = ((cpuSeconds(pid) - before) * 1e6) / measured;
  const figures = { cpuUs, megabytes: peakMegabytes(pid) };
  await running.stop();
  return figures;
}

async function measureAll(): Promise<Readonly<Record<string, Figures>>> {
  return withLocalService({}, async ({ environment, clientId, clientSecret, tokenUrl, apiKey }) => {
    const { ISSUER = '', AUDIENCE = '' } = environment;
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
    const answer = await fetch(tokenUrl, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    const { access_token: token } = (await answer.json()) as { readonly access_token: string };
    const args = ['--issuer', ISSUER, '--audience', AUDIENCE, '--tables', 'local'];
    const check = (...more: readonly string[]) =>
      startForwardAuthProcess({
        command: [process.execPath, command],
        args: [...args, '--client-address-header', 'X-Real-IP', ...more],
        environment,
      });
    const other = (mode: string) =>
      startForwardAuthProcess({
        command: [process.execPath, reference, mode, ISSUER, AUDIENCE],
        args: [],
        environment,
      });
    return {
      'bare node:http': await measure(await other('bare'), token),
      'jose on node:http, own token': await measure(await other('jose'), token),
      'forward-auth, own token': await measure(await check(), token),
      'forward-auth, own token, every request logged': await measure(
        await check('--log', 'all'),
        token,
      ),
      'forward-auth, API key': await measure(await check(), apiKey),
      'forward-auth, API key, --cache-lookups 5': await measure(
        await check('--cache-lookups', '5'),
        apiKey,
      ),
    };
  });
}

/** What the project holds itself to: CPU as a multiple of bare node:http, and memory. */
const targets: Readonly<Record<string, number>> = {
  'forward-auth, own token': 2.0,
  'forward-auth, API key': 4.5,
};
const memoryTarget = 125;

const results = await measureAll();
const bare = results['bare node:http']?.cpuUs ?? Number.NaN;
const rows = Object.entries(results).map(([name, { cpuUs, megabytes }]) => {
  const target = targets[name];
  const ratio = cpuUs / bare;
  const isMet = target === undefined || (ratio <= target && megabytes <= memoryTarget);
  return [
    name,
    `${Math.round(cpuUs)} µs`,
    String(Math.round(1e6 / cpuUs)),
    ratio.toFixed(2),
    `${Math.round(megabytes)} MB`,
    target === undefined ? '–' : `≤ ${target.toFixed(1)}, ≤ ${memoryTarget} MB`,
    target === undefined ? '' : isMet ? 'met' : '**short**',
  ];
});
const head = [
  '',
  'CPU per request',
  'per second and core',
  '× bare',
  'peak memory',
  'to reach',
  '',
];
const machine = `Measured ${new Date().toISOString().slice(0, 10)} on Node ${process.versions.node}, ${cpus()[0]?.model.trim()}, ${measured} requests each over ${connections} connections.`;
const content = `${machine}\n\n${formatTable([head, ...rows])}`;
const page = join(root, 'docs/performance.md');
writeFileSync(page, replacePart(readFileSync(page, 'utf8'), 'forward-auth', content));
process.stdout.write(`${content}\n`);
