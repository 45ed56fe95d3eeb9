import { InvalidArgumentError } from 'commander';

/** Reads an option that is a whole number, from `least` on. */
export function countFrom(least: number): (value: string) => number {
  return (value) => {
    const count = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (count >= least) return count;
    throw new InvalidArgumentError(`Allowed: a whole number from ${least}.`);
  };
}
