import * as v from 'valibot';
import {
  type Item,
  parseItem,
  type RecordOf,
  schemaVersion,
  text,
  toAttributes,
  toReadableItem,
  toRecord,
} from './item.ts';

/** A kind of items in a table that is partitioned by the kind of record. */
interface PartitionKind<Id extends string, IdSchema, Entries> {
  readonly recordType: string;
  /** What the record calls its sort key. */
  readonly idName: Id;
  /** A short text if left out. */
  readonly id?: IdSchema;
  /** For errors: `key intent`. */
  readonly noun: string;
  readonly entries: Entries;
  /** Whether an item of valid attributes is one, and what it must be. */
  readonly check?: readonly [holds: (item: Item) => boolean, expected: string];
}

/** The records of items: of each attribute by its name in the program, and of the sort key. */
type Stored<
  Id extends string,
  IdSchema extends v.GenericSchema,
  Entries extends v.ObjectEntries,
> = RecordOf<v.InferOutput<v.StrictObjectSchema<Entries, undefined>>> &
  Readonly<Record<Id, v.InferOutput<IdSchema>>>;

/** The records of the items of a partition. What only reads bundles nothing that writes. */
export function partitionReader<
  const Id extends string,
  const Entries extends v.ObjectEntries,
  const IdSchema extends v.GenericSchema = typeof text,
>(kind: PartitionKind<Id, IdSchema, Entries>) {
  const { recordType, idName, id = text, noun, entries } = kind;
  const [holds = () => true, expected = ''] = kind.check ?? [];
  const attributesSchema: v.GenericSchema<unknown, Item> = v.strictObject({
    record_type: v.literal(recordType),
    record_id: id,
    schema_version: schemaVersion,
    ...entries,
  });
  const schema = v.pipe(attributesSchema, v.check(holds, expected));
  const parse = (item: Item): Stored<Id, IdSchema, Entries> => {
    const {
      record_type: _type,
      schema_version: _version,
      record_id: recordId,
      ...attributes
    } = parseItem(schema, item, noun, 'record_id');
    return { [idName]: recordId, ...toRecord(attributes) } as Stored<Id, IdSchema, Entries>;
  };
  return { recordType, schema, parse };
}

/** The same, and the items of records. */
export function partitionItem<
  const Id extends string,
  const Entries extends v.ObjectEntries,
  const IdSchema extends v.GenericSchema = typeof text,
>(kind: PartitionKind<Id, IdSchema, Entries>) {
  const reader = partitionReader(kind);
  const toItem = (record: object): Item => {
    const { [kind.idName]: record_id, ...attributes } = record as Item;
    const head = { record_type: kind.recordType, record_id, schema_version: 1 };
    return toReadableItem(reader.parse, { ...head, ...toAttributes(attributes) });
  };
  return { ...reader, toItem };
}
