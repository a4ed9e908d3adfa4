import type { Duplex } from 'node:stream';

/** Of one answer. */
const mostBytes = 16_000;

/** Calls `take` with all that came until it says something else than undefined. */
export function read<T>(socket: Duplex, take: (held: Buffer) => T | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    let held = Buffer.alloc(0);
    const end = (act: () => void) => {
      socket.off('data', onData).off('close', onClose).off('error', onClose);
      act();
    };
    const onClose = () => end(() => reject(new Error('the connection was closed')));
    const onData = (part: Buffer) => {
      held = Buffer.concat([held, part]);
      if (held.length > mostBytes) return end(() => reject(new Error('the answer is too large')));
      try {
        const taken = take(held);
        if (taken !== undefined) end(() => resolve(taken));
      } catch (error) {
        end(() => reject(error));
      }
    };
    socket.on('data', onData).once('close', onClose).once('error', onClose);
  });
}

/** The lines of one reply of a mail server (RFC 5321, section 4.2.1): the last has a blank after its code. */
export const readReply = (socket: Duplex): Promise<string[]> =>
  read(socket, (held) => {
    const lines = held.toString('latin1').split('\r\n').slice(0, -1);
    return lines.some((line) => /^\d{3}( |$)/.test(line)) ? lines : undefined;
  });
