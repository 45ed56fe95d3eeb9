/** A process that answers requests, and whose CPU time and memory are measured. */
export interface MeasuredProcess {
  /** What is requested: it answers 2xx to a credential that it accepts. */
  readonly url: string;
  readonly pid: number;
  stop(): Promise<unknown>;
}
