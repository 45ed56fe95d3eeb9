/** Where a deployment's tables are: the beginning of their names, or of their ARNs. */
export interface TableLocation {
  /** Each table is named by this prefix, `-` and its suffix. DynamoDB accepts a name or an ARN. */
  readonly prefix: string;
  /** The region that an ARN names; undefined for a name, whose region is the caller's own. */
  readonly awsRegion: string | undefined;
}

export const tableLocationHelp =
  'the beginning of the table names, e.g. "authorization-server", or of their ARNs, e.g. "arn:aws:dynamodb:us-west-2:111122223333:table/authorization-server"';

const namePattern = /^[A-Za-z0-9_.-]{3,220}$/;
const arnPattern = /^arn:aws[a-z-]*:dynamodb:([a-z0-9-]+):[0-9]{12}:table\/[A-Za-z0-9_.-]{3,220}$/;

/** The AWS region of a table that is named by its ARN; undefined for a name. */
export function tableRegion(table: string): string | undefined {
  return parseTableLocation(table)?.awsRegion;
}

/** @returns undefined if the text is neither. */
export function parseTableLocation(text: string): TableLocation | undefined {
  if (namePattern.test(text)) return { prefix: text, awsRegion: undefined };
  const awsRegion = arnPattern.exec(text)?.[1];
  return awsRegion === undefined ? undefined : { prefix: text, awsRegion };
}
