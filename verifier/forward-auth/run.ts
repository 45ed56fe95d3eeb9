import { checkIssuer } from '../../adapters/check-issuer.ts';
import { createDynamoDbLookups, type DynamoDbLookups } from '../dynamodb-lookups.ts';
import { createVerifier, type RevocationOptions } from '../verifier.ts';
import { createDecisionLog, type DecisionLog, type WriteLog } from './decision-log.ts';
import { createHandler } from './handler.ts';
import type { ForwardAuthOptions } from './options.ts';
import { createReadiness } from './readiness.ts';
import { startServer } from './server.ts';

export interface RunningForwardAuth {
  readonly address: string;
  close(): Promise<void>;
}

function openLookups(
  { tables, cacheSeconds }: ForwardAuthOptions,
  write: WriteLog,
): DynamoDbLookups | undefined {
  if (tables === undefined) return undefined;
  const onReadOneByOne = (error: unknown) => {
    const reason = `BatchGetItem is refused: ${error instanceof Error ? error.name : 'unknown'}`;
    write({ level: 'warn', message: 'records are read one by one', fields: { reason } });
  };
  return createDynamoDbLookups({ tables, cacheSeconds, onReadOneByOne });
}

/** `options.onLookupFailure` is set only with tables. */
function readRevocation(
  { onLookupFailure }: ForwardAuthOptions,
  lookups: DynamoDbLookups | undefined,
  log: DecisionLog,
): RevocationOptions | undefined {
  if (onLookupFailure === undefined || lookups === undefined) return undefined;
  const { clients } = lookups.providers;
  return onLookupFailure === 'refuse'
    ? { clients, onLookupFailure }
    : {
        clients,
        onLookupFailure,
        onAcceptedWithoutLookup: (caller) => log.acceptedWithoutLookup(caller),
      };
}

/**
 * Starts the check. It listens at once, and is ready when the issuer, its keys and the tables have
 * answered.
 *
 * @param onMistake receives each mistake in the configuration that the start check finds.
 * @throws {InputError} if an option cannot be used, or the address cannot be listened on.
 */
export async function startForwardAuth(
  options: ForwardAuthOptions,
  write: WriteLog,
  onMistake: (error: unknown) => void,
): Promise<RunningForwardAuth> {
  const { issuer, audiences, defaultAudience, realm, resource } = options;
  const lookups = openLookups(options, write);
  const log = createDecisionLog(options.log, write);
  const verifier = createVerifier({
    issuer,
    audience: audiences,
    defaultAudience,
    realm,
    resource,
    allowLoopbackProviders: options.allowLoopbackProviders,
    tokenMemory: options.tokenMemory,
    accessTokenType: options.accessTokenType,
    apiKeys: lookups?.apiKeys,
    providers: lookups?.providers,
    revocation: readRevocation(options, lookups, log),
  });
  let reason = (): string | undefined => 'the process is starting';
  const handler = createHandler({
    verifier,
    log,
    clientAddressHeader: options.clientAddressHeader,
    notReady: () => reason(),
  });
  const server = await startServer(options.listen, handler);
  write({ level: 'info', message: 'listening', fields: { address: server.address } });
  async function check(): Promise<void> {
    await checkIssuer({ issuer });
    await verifier.preload();
    await lookups?.checkTables();
  }
  const readiness = createReadiness(check, onMistake, write);
  reason = () => readiness.reason();
  return {
    address: server.address,
    async close() {
      readiness.stop();
      await server.close();
      lookups?.close();
    },
  };
}
