import type { Duplex } from 'node:stream';
import * as packet from 'dns-packet';
import type { NameHost } from './hosts.ts';

const refused = 5;

/** A nameserver by TCP: authoritative for every zone that it is asked for, or for none. */
export function answerZone(socket: Duplex, { lame, serial }: NameHost): void {
  let held = Buffer.alloc(0);
  socket.on('data', (part: Buffer) => {
    held = Buffer.concat([held, part]);
    while (held.length >= 2 && held.length >= 2 + held.readUInt16BE(0)) {
      const end = 2 + held.readUInt16BE(0);
      const query = packet.decode(held.subarray(2, end));
      held = held.subarray(end);
      const [question] = query.questions ?? [];
      if (!question) return socket.destroy();
      const isSoa = question.type === 'SOA';
      const soa: packet.Answer = {
        ...({ type: 'SOA', name: question.name, ttl: 3600 } as const),
        data: {
          ...{ mname: 'ns1.host.example', rname: 'hostmaster.host.example', serial },
          ...{ refresh: 10_800, retry: 3_600, expire: 604_800, minimum: 3_600 },
        },
      };
      const reply = packet.streamEncode({
        ...({ type: 'response', id: query.id ?? 0, questions: [question] } as const),
        flags: lame ? refused : packet.AUTHORITATIVE_ANSWER,
        answers: isSoa && !lame ? [soa] : [],
      });
      socket.write(reply);
    }
  });
}
