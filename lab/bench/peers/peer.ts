/** A server that issues tokens, as the benchmark of peers sees it. */
export interface RunningPeer {
  readonly pid: number;
  readonly tokenUrl: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
  close(): Promise<void>;
}

export interface InstalledPeer {
  /** Of all that was installed for it, in bytes. The Java runtime is not included. */
  readonly bytes: number;
  start(): Promise<RunningPeer>;
}

export interface Peer {
  readonly name: string;
  readonly version: string;
  /** What differs from its defaults, for the table. */
  readonly settings: string;
  /** Whose RS256 signature is in its CPU time. */
  readonly signs: 'node' | 'java' | 'go';
  /**
   * @param folder an empty one, for this peer.
   * @throws {Error} if it cannot be had here: the peer is skipped, and the table says why.
   */
  install(folder: string): Promise<InstalledPeer>;
}

export const peerClient = {
  clientId: 'bench',
  clientSecret: 'bench-secret',
  scope: 'messaging:view',
} as const;
