import type { CheckedLiterals, DeploymentLiterals } from '../../contract/deployment-check.ts';
import { RefusedError } from '../errors.ts';

/** A config that is not that of the deployed service. */
export class OtherDeploymentError extends RefusedError {}

/** What a config is compared with. */
interface KeptLiteralsCheck {
  readonly config: CheckedLiterals;
  /** What the stack asked before. In a rollback, this is the config that failed. */
  readonly before?: CheckedLiterals | undefined;
  /** What the live version of the token function has. */
  readonly deployed: Required<DeploymentLiterals>;
}

type Name = keyof DeploymentLiterals;

/** The key of the config that says a literal, and the one that says which it replaces. */
const keys: Readonly<Record<Name, { readonly key: string; readonly former: string }>> = {
  issuer: { key: 'issuer', former: 'formerIssuer' },
  defaultAudience: { key: 'defaultAudience', former: 'formerDefaultAudience' },
  clientsTable: { key: 'tablesName', former: 'formerTablesName' },
};

/** As the config says it. */
function valueOf(name: Name, literal: string): string {
  return name === 'clientsTable' ? literal.replace(/-clients$/, '') : literal;
}

/** Without a domain, the issuer is the address of an API: the template knows only its form. */
function isApiAddress(issuer: string): boolean {
  return /^[a-z0-9]+\.execute-api\./.test(new URL(issuer).hostname);
}

function isSame(name: Name, literal: string | undefined, deployed: string): boolean {
  return name === 'issuer' && literal === undefined ? isApiAddress(deployed) : literal === deployed;
}

function isAllowed(name: Name, check: KeptLiteralsCheck): boolean {
  const { config, before, deployed: all } = check;
  const deployed = all[name];
  if (isSame(name, config.Literals[name], deployed)) return true;
  if (config.Former[name] === deployed) return true;
  // A rollback: the config that failed is live, and it said that it replaces this one.
  const isLive = before !== undefined && isSame(name, before.Literals[name], deployed);
  const former = before?.Former[name];
  return isLive && former !== undefined && isSame(name, config.Literals[name], former);
}

function describe(name: Name, { config, deployed }: KeptLiteralsCheck): string {
  const { key, former } = keys[name];
  const literal = config.Literals[name];
  const received = literal === undefined ? 'nothing' : `"${valueOf(name, literal)}"`;
  const live = valueOf(name, deployed[name]);
  return `  ${key}: received ${received}; allowed: "${live}", which is deployed, or "${former}": "${live}" if the change is meant`;
}

/**
 * Checks that a config is that of the deployed service: that it names the same issuer, audience and
 * tables, or says which it replaces. Otherwise it is likely to be another service's config with the
 * same name.
 *
 * @throws {OtherDeploymentError} naming each key, its value and the deployed one.
 */
export function assertLiteralsKept(check: KeptLiteralsCheck): void {
  const names = Object.keys(keys) as Name[];
  const changed = names.filter((name) => !isAllowed(name, check));
  if (changed.length === 0) return;
  throw new OtherDeploymentError(
    [
      'this is not the config of the deployed service, which continues unchanged:',
      ...changed.map((name) => describe(name, check)),
    ].join('\n'),
  );
}
