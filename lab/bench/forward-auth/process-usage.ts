import { readFileSync } from 'node:fs';

/** A process that answers requests, and whose CPU time and memory are measured. */
export interface MeasuredProcess {
  /** What is requested: it answers 2xx to a credential that it accepts. */
  readonly url: string;
  readonly pid: number;
  stop(): Promise<unknown>;
}

/** Ticks per second of Linux' clock for processes (`getconf CLK_TCK`), the same on every machine. */
const ticksPerSecond = 100;

/** CPU time of another process so far, in seconds: user and system (proc(5), stat). */
export function cpuSeconds(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the process is in brackets and may hold spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Resident memory of another process at its highest, in megabytes (proc(5), status). */
export function peakMegabytes(pid: number): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return (Number(/^VmHWM:\s+(\d+) kB/m.exec(text)?.[1]) * 1024) / 1e6;
}
