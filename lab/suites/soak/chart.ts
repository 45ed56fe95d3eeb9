import { percentile } from '../../bench/statistics.ts';
import type { FaultPeriod, Schedule } from './schedule.ts';
import type { Sample } from './traffic.ts';

const width = 1100;
const height = 320;
const left = 60;
const top = 30;
const bottom = 50;

/** Milliseconds at the foot and the head of the scale. */
const scale = { least: 1, most: 10_000 } as const;

function xOf(at: number, end: number): number {
  return left + (at / end) * (width - left - 10);
}

function yOf(milliseconds: number): number {
  const { least, most } = scale;
  const clamped = Math.min(most, Math.max(least, milliseconds));
  const share = Math.log(clamped / least) / Math.log(most / least);
  return height - bottom - share * (height - top - bottom);
}

function line(samples: readonly Sample[], end: number, share: number): string {
  const bySecond = Map.groupBy(samples, ({ at }) => Math.floor(at / 1000));
  const points = [...bySecond]
    .toSorted(([a], [b]) => a - b)
    .map(([second, some]) => {
      const value = percentile(
        some.map(({ milliseconds }) => milliseconds),
        share,
      );
      return `${xOf((second + 0.5) * 1000, end).toFixed(1)},${yOf(value).toFixed(1)}`;
    });
  return points.join(' ');
}

function drawArea(from: number, until: number, end: number, color: string): string {
  const x = xOf(from, end);
  const wide = xOf(until, end) - x;
  return `<rect x="${x.toFixed(1)}" y="${top}" width="${wide.toFixed(1)}" height="${height - top - bottom}" fill="${color}"/>`;
}

function drawName(from: number, until: number, end: number, name: string): string {
  const x = (xOf(from, end) + xOf(until, end)) / 2;
  return `<text x="${x.toFixed(1)}" y="${top - 8}" text-anchor="middle">${name}</text>`;
}

function drawPeriod({ name, from, until, isWarmUp }: FaultPeriod, end: number): string {
  const area = drawArea(from, until, end, '#f4c7c3');
  return isWarmUp ? area : area + drawName(from, until, end, name);
}

function drawTick(milliseconds: number): string {
  const y = yOf(milliseconds).toFixed(1);
  return `<line x1="${left}" x2="${width - 10}" y1="${y}" y2="${y}" stroke="#ddd"/><text x="${left - 6}" y="${y}" text-anchor="end" dominant-baseline="middle">${milliseconds} ms</text>`;
}

/** Latency of token requests over time, second by second, with the faults behind it. */
export function drawChart(samples: readonly Sample[], { periods, warmUntil }: Schedule): string {
  const tokens = samples.filter(({ kind }) => kind === 'token');
  const end = Math.max(1000, ...samples.slice(-1).map(({ at }) => at));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    drawArea(0, warmUntil, end, '#eee') + drawName(0, warmUntil, end, 'warm-up: each once'),
    ...periods.map((period) => drawPeriod(period, end)),
    ...[1, 10, 100, 1000, 10_000].map(drawTick),
    `<polyline fill="none" stroke="#9467bd" points="${line(tokens, end, 0.99)}"/>`,
    `<polyline fill="none" stroke="#1f77b4" stroke-width="2" points="${line(tokens, end, 0.5)}"/>`,
    `<text x="${left}" y="${height - 14}" fill="#1f77b4">median</text>`,
    `<text x="${left + 60}" y="${height - 14}" fill="#9467bd">99th percentile</text>`,
    `<text x="${width - 10}" y="${height - 14}" text-anchor="end">token requests, ${(end / 1000).toFixed(0)} s; red: a fault is on</text>`,
    '</svg>\n',
  ].join('\n');
}
