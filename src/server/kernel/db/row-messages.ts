import type { Socket } from 'node:net';
import pg from 'pg';

/**
 * A client of the driver whose rows can be taken before the driver reads them. Everything else that the database says goes to
 * the driver, message by message and in order.
 */
export class RowClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    const { connection } = this as unknown as { connection: Connection };
    const attach = connection.attachListeners.bind(connection);
    connection.attachListeners = (stream) => {
      let tellDriver: Listener = () => undefined;
      attach({
        on(event: string, listener: Listener) {
          if (event === 'data') tellDriver = listener;
          else stream.on(event, listener);
        },
      });
      const taking: Taking = { taker: null };
      takings.set(connection, taking);
      stream.on(
        'data',
        divided(
          (bytes) => tellDriver(bytes),
          (bytes, at) => taking.taker?.(bytes, at) ?? false,
        ),
      );
    };
  }
}

type Listener = (bytes: Buffer) => void;
interface Connection {
  attachListeners(stream: Pick<Socket, 'on'> | { on(event: string, listener: Listener): void }): void;
}

/** Takes the row whose message has its content at this place; false: the driver is to read it. */
export type RowTaker = (bytes: Buffer, at: number) => boolean;
interface Taking {
  taker: RowTaker | null;
}
const takings = new WeakMap<object, Taking>();

/** Who takes the rows of a client's connection from now on; null: the driver. */
export function takeRows(connection: object, taker: RowTaker | null): void {
  const taking = takings.get(connection);
  if (taking) taking.taker = taker;
}

/** A letter and a length (protocol 55.1). */
const headBytes = 5;
const dataRow = 0x44;

/**
 * Divides what comes in into messages (protocol 55.1), and hands rows to `take`; what that does not want, and all others, to
 * `tellDriver`, as many at once as there are.
 */
export function divided(tellDriver: Listener, take: RowTaker): Listener {
  /** The beginning of a message whose end has not come, in the parts in which it came. */
  let parts: Buffer[] = [];
  /** How much of it must still come: until then nothing is put together. */
  let missing = 0;
  const tell = (bytes: Buffer, from: number, to: number) => {
    if (from < to) tellDriver(bytes.subarray(from, to));
  };

  return (chunk) => {
    parts.push(chunk);
    missing -= chunk.length;
    if (missing > 0) return;
    const bytes = parts.length === 1 ? chunk : Buffer.concat(parts);
    let told = 0;
    let at = 0;
    let length = lengthAt(bytes, at);
    while (at + length <= bytes.length) {
      if (bytes[at] === dataRow) {
        // What came before it decides who takes it.
        tell(bytes, told, at);
        told = take(bytes, at + headBytes) ? at + length : at;
      }
      at += length;
      length = lengthAt(bytes, at);
    }
    tell(bytes, told, at);
    parts = at < bytes.length ? [bytes.subarray(at)] : [];
    missing = at < bytes.length ? at + length - bytes.length : 0;
  };
}

/** Of the message that begins there; as long as it does not say so, its head is to come. */
const lengthAt = (bytes: Buffer, at: number) =>
  at + headBytes <= bytes.length ? 1 + bytes.readUInt32BE(at + 1) : headBytes;
