import type { CommandGroup, CommandSpec } from './command-spec.ts';
import { apiKeyCommands } from './commands/api-key.ts';
import { apiKeySubnetCommands } from './commands/api-key-subnet.ts';
import { auditCommands } from './commands/audit.ts';
import { clientCommands } from './commands/client.ts';
import { clientSecretCommands } from './commands/client-secret.ts';
import { explainCommands } from './commands/explain.ts';
import { keyCommands } from './commands/key.ts';
import { portalCommand } from './commands/portal.ts';
import { providerCommands } from './commands/provider.ts';
import { scopeCommands } from './commands/scope.ts';
import { signingKeyCommands } from './commands/signing-key.ts';
import { tableCommands } from './commands/table.ts';
import { trunkGroupCommands } from './commands/trunk-group.ts';
import { trunkGroupLimitsCommands } from './commands/trunk-group-limits.ts';

/** Every command group of `authctl`, in the order in which `--help` lists them. */
export const commandGroups: readonly CommandGroup[] = [
  clientCommands,
  clientSecretCommands,
  keyCommands,
  apiKeyCommands,
  apiKeySubnetCommands,
  providerCommands,
  trunkGroupCommands,
  trunkGroupLimitsCommands,
  scopeCommands,
  signingKeyCommands,
  auditCommands,
  tableCommands,
  explainCommands,
];

/** Commands without a group, after the groups. */
export const singleCommands: readonly CommandSpec[] = [portalCommand];
