/** Bodies of copies, ready to be sent, by the row's own mark: what is found under a mark is what the row holds. */
export interface CopyCache {
  get(mark: string): Buffer | undefined;
  put(mark: string, body: Buffer): void;
}

/** Keeps so many bytes; what was not asked for the longest goes first. */
export function createCopyCache(mostBytes: number): CopyCache {
  const bodies = new Map<string, Buffer>();
  let bytes = 0;
  return {
    get(mark) {
      const body = bodies.get(mark);
      if (body) {
        bodies.delete(mark);
        bodies.set(mark, body);
      }
      return body;
    },
    put(mark, body) {
      if (bodies.has(mark) || body.byteLength > mostBytes) return;
      bodies.set(mark, body);
      bytes += body.byteLength;
      for (const [oldest, { byteLength }] of bodies) {
        if (bytes <= mostBytes) break;
        bodies.delete(oldest);
        bytes -= byteLength;
      }
    },
  };
}
