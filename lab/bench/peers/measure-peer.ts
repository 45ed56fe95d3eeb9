import { readFileSync } from 'node:fs';
import { globalAgent } from 'node:http';
import { waitUntil } from '../../support/wait-until.ts';
import { cpuSeconds, peakMegabytes } from '../forward-auth/process-usage.ts';
import { postForToken, putLoad } from '../load/token-load.ts';
import { type Band, bandOf, median } from '../statistics.ts';
import type { InstalledPeer, RunningPeer } from './peer.ts';

export interface PeerFigures {
  /** CPU time of the whole process a token, in microseconds. */
  readonly cpuUs: Band;
  /** Milliseconds at 50 connections. */
  readonly p99Ms: number;
  /** Milliseconds from the process's start to its first token. */
  readonly firstTokenMs: number;
  readonly megabytes: number;
}

export interface PeerPlan {
  readonly warmUpSeconds: number;
  readonly seconds: number;
  readonly runs: number;
  readonly connections: number;
}

/** What the comparison is about: an RS256 signature of 2,048 bits, in a JWT. */
async function assertSameWork({ post }: RunningPeer): Promise<void> {
  const response = JSON.parse(await postForToken(post, globalAgent)) as { access_token: string };
  const [header = '', , signature = ''] = response.access_token.split('.');
  const { alg } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { alg: string };
  const bits = Buffer.from(signature, 'base64url').length * 8;
  if (alg === 'RS256' && bits === 2048) return;
  throw new Error(`its token is signed with ${alg} of ${bits} bits`);
}

/** Asks until there is a token. */
async function waitForToken({ pid, post }: RunningPeer): Promise<void> {
  const ask = async (): Promise<boolean> => {
    if (readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')) {
      throw new Error('it ended before its first token');
    }
    return postForToken(post, globalAgent).then(
      () => true,
      () => false,
    );
  };
  await waitUntil('the first token', ask, { interval: 10 });
}

export async function measurePeer(
  installed: InstalledPeer,
  plan: PeerPlan,
  issuesTokens = true,
): Promise<PeerFigures> {
  const begin = performance.now();
  const peer = await installed.start();
  try {
    await waitForToken(peer);
    const firstTokenMs = performance.now() - begin;
    if (issuesTokens) await assertSameWork(peer);
    const { connections, seconds } = plan;
    await putLoad(peer.post, { connections, seconds: plan.warmUpSeconds });
    const cpus: number[] = [];
    const p99s: number[] = [];
    for (let run = 0; run < plan.runs; run += 1) {
      const before = cpuSeconds(peer.pid);
      const { requests, p99Ms } = await putLoad(peer.post, { connections, seconds });
      cpus.push(((cpuSeconds(peer.pid) - before) / requests) * 1e6);
      p99s.push(p99Ms);
    }
    const megabytes = peakMegabytes(peer.pid);
    return { cpuUs: bandOf(cpus), p99Ms: median(p99s), firstTokenMs, megabytes };
  } finally {
    await peer.close();
  }
}
