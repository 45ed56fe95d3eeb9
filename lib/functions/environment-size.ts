import { Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Lambda's limit for the names and values of all variables of one function, in bytes. */
export const maxEnvironmentBytes = 4096;

/** Room for a value that is known only at deployment: an API's id, an account, a role's ARN. */
const bytesPerUnknown = 128;

/** Longest values of CloudFormation's pseudo parameters, in bytes. */
const pseudoParameterBytes: Readonly<Record<string, number>> = {
  'AWS::AccountId': '123456789012'.length,
  'AWS::Partition': 'aws-us-gov'.length,
  'AWS::URLSuffix': 'amazonaws.com.cn'.length,
};

/** Upper estimate of the size of a function's environment, in bytes. */
export function environmentBytes(
  scope: IConstruct,
  variables: Readonly<Record<string, string>>,
): number {
  return Object.entries(variables).reduce(
    (sum, [name, value]) =>
      sum + Buffer.byteLength(name) + valueBytes(Stack.of(scope).resolve(value)),
    0,
  );
}

/** The size of a text, or of a value that CloudFormation resolves to one. */
function valueBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return bytesPerUnknown;
  if ('Ref' in value) return pseudoParameterBytes[String(value.Ref)] ?? bytesPerUnknown;
  if (!('Fn::Join' in value)) return bytesPerUnknown;
  const [, parts] = value['Fn::Join'] as [string, readonly unknown[]];
  return parts.reduce<number>((sum, part) => sum + valueBytes(part), 0);
}
