import type { Access } from './from-synth/access.ts';
import type { LocalAwsOptions } from './local-aws-options.ts';
import type { LogFile } from './log-file.ts';

/** The environment of the functions. */
export interface Surroundings {
  readonly issuer: string;
  readonly clientOptions: LocalAwsOptions;
  readonly lambdaEndpoint: string;
  /** Whose calls are allowed. Left out: every signed call is. */
  readonly access?: Access | undefined;
  readonly log: LogFile;
  /** Certificates to trust in addition to those of Node: PEM, and the file that holds it. */
  readonly ca: string | undefined;
  readonly caPath: string | undefined;
  /** Milliseconds since the epoch. The default is this machine's clock. */
  readonly clock?: (() => number) | undefined;
  /** The clock is moved on purpose, so it is not compared with the times of AWS's answers. */
  readonly isClockMoved?: boolean | undefined;
}
