/**
 * How long the server may take to answer, in milliseconds. Of a write: an act at the registrar waits for its turn (20 s), is sent (45 s)
 * and is read back (15 s). One that takes longer is answered as an act that may have been done.
 */
export const answeredWithinMs = { read: 30_000, write: 85_000 } as const;

/**
 * How long the browser waits at least, in milliseconds: it begins to count first. Of a write that it gives up before the server does, nobody
 * hears what became of it, and of a read nobody hears why.
 */
export const waitedForMs = {
  read: answeredWithinMs.read + 5_000,
  write: answeredWithinMs.write + 5_000,
} as const;
