/** As much of DER (X.690) as it takes to put a certificate together from parts of others. */
export interface Der {
  tag: number;
  content: Buffer;
  /** With tag and length. */
  whole: Buffer;
}

/** The values that follow each other in these bytes. */
export function nodesIn(bytes: Buffer | undefined): Der[] {
  const found: Der[] = [];
  let rest = bytes ?? Buffer.alloc(0);
  while (rest.length > 1) {
    const short = rest[1] ?? 0;
    const more = short < 0x80 ? 0 : short - 0x80;
    const length = more === 0 ? short : rest.readUIntBE(2, more);
    const end = 2 + more + length;
    found.push({ tag: rest[0] ?? 0, content: rest.subarray(2 + more, end), whole: rest.subarray(0, end) });
    rest = rest.subarray(end);
  }
  return found;
}

export function node(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const size = length < 0x100 ? 1 : 2;
  const head = Buffer.alloc(2 + size);
  head[0] = tag;
  head[1] = 0x80 + size;
  head.writeUIntBE(length, 2, size);
  return Buffer.concat([head, content]);
}

export function pemOf(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
