import { crc32, deflateSync, inflateSync } from 'node:zlib';

/** Of a PNG without transparency and interlacing, as Chromium writes it: RFC 2083. */
const signatureLength = 8;
const bytesPerPixel = 3;

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

function readChunks(png: Buffer): readonly Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = signatureLength; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    chunks.push({ type, data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

function writeChunk({ type, data }: Chunk): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

/** What each filter of RFC 2083, section 6, predicts from left, above, and above left. */
const predictors: readonly ((left: number, up: number, corner: number) => number)[] = [
  () => 0,
  (left) => left,
  (_, up) => up,
  (left, up) => (left + up) >> 1,
  (left, up, corner) => {
    const estimate = left + up - corner;
    const [a, b, c] = [left, up, corner].map((value) => Math.abs(estimate - value));
    if (a === undefined || b === undefined || c === undefined) return 0;
    if (a <= b && a <= c) return left;
    return b <= c ? up : corner;
  },
];

/** Takes the filters away: text on plain ground repeats, which filters hide. */
function withoutFilters(rows: Buffer, rowLength: number): Buffer {
  const plain = Buffer.from(rows);
  for (let start = 0; start < plain.length; start += rowLength) {
    const predict = predictors[plain[start] ?? 0];
    if (predict === undefined) throw new Error(`PNG filter ${plain[start]}`);
    plain[start] = 0;
    for (let x = 1; x < rowLength; x += 1) {
      const at = start + x;
      const hasLeft = x > bytesPerPixel;
      const left = hasLeft ? (plain[at - bytesPerPixel] ?? 0) : 0;
      const up = start > 0 ? (plain[at - rowLength] ?? 0) : 0;
      const corner = hasLeft && start > 0 ? (plain[at - rowLength - bytesPerPixel] ?? 0) : 0;
      plain[at] = ((plain[at] ?? 0) + predict(left, up, corner)) & 255;
    }
  }
  return plain;
}

/** The same picture in a quarter fewer bytes. */
export function packPng(png: Buffer): Buffer {
  const chunks = readChunks(png);
  const header = chunks.find(({ type }) => type === 'IHDR')?.data;
  if (header === undefined || header[9] !== 2) throw new Error('not a PNG of plain colours');
  const rows = chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data);
  const rowLength = header.readUInt32BE(0) * bytesPerPixel + 1;
  const plain = withoutFilters(inflateSync(Buffer.concat(rows)), rowLength);
  const packed = [
    { type: 'IHDR', data: header },
    { type: 'IDAT', data: deflateSync(plain, { level: 9 }) },
    { type: 'IEND', data: Buffer.alloc(0) },
  ];
  return Buffer.concat([png.subarray(0, signatureLength), ...packed.map(writeChunk)]);
}
