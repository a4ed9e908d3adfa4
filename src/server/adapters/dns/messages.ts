import { randomInt } from 'node:crypto';
import * as packet from 'dns-packet';
import type { SeenRecord } from '../../ports/zone-source.ts';

/** DNS messages (RFC 1035) from and to the port's form. */

/** What passes every network in one datagram (DNS flag day 2020). */
const datagramBytes = 1232;
const noSuchName = 3;
const truncatedFlag = 1 << 9;

export interface Question {
  id: number;
  name: string;
  type: packet.RecordType;
  bytes: Buffer;
}

/** `recursive`: to a resolver; a server of the zone itself is asked for what it has. */
export function questionOf(name: string, type: packet.RecordType, recursive: boolean): Question {
  const id = randomInt(65_536);
  const opt = {
    ...({ type: 'OPT', name: '.', udpPayloadSize: datagramBytes } as const),
    ...{ extendedRcode: 0, ednsVersion: 0, flags: 0, flag_do: false, options: [] },
  };
  const bytes = packet.encode({
    ...({ type: 'query', id, flags: recursive ? packet.RECURSION_DESIRED : 0 } as const),
    questions: [{ name, type }],
    // A transfer is asked for plainly: old servers know no more.
    additionals: type === 'AXFR' ? [] : [opt],
  });
  return { id, name, type, bytes };
}

/** A reply to this very question, or null: others may send us datagrams too. */
export function readReply(
  bytes: Buffer,
  question: Question,
): { code: number; missing: boolean; truncated: boolean; answers: packet.Answer[] } | null {
  if (bytes.length < 12) return null;
  const flags = bytes.readUInt16BE(2);
  const code = flags & 0xf;
  let reply: packet.DecodedPacket;
  try {
    reply = packet.decode(bytes);
  } catch {
    return null;
  }
  if (reply.type !== 'response' || reply.id !== question.id) return null;
  const asked = reply.questions?.[0];
  // The later messages of a transfer repeat no question (RFC 5936 2.2.1).
  if (asked ? asked.name.toLowerCase() !== question.name : question.type !== 'AXFR') return null;
  const truncated = (flags & truncatedFlag) !== 0;
  return { code, missing: code === noSuchName, truncated, answers: reply.answers ?? [] };
}

const host = (name: string) => name.toLowerCase().replace(/\.$/, '');
/** `.` is "none" in MX and SRV (RFC 7505, RFC 2782), and is written so in our zones too. */
const target = (name: string) => host(name) || '.';

/** A record of an answer in the port's form; null for what is no record of a zone. */
export function seenRecord(answer: packet.Answer): SeenRecord | null {
  const fields = fieldsOf(answer);
  return fields && { name: host(answer.name), type: answer.type, fields };
}

function fieldsOf(answer: packet.Answer): SeenRecord['fields'] | null {
  switch (answer.type) {
    case 'OPT':
      return null;
    case 'A':
      return { ip_address: answer.data };
    case 'AAAA':
      return { ipv6_address: answer.data };
    case 'CNAME':
      return { hostname: host(answer.data) };
    case 'NS':
      return { data: host(answer.data) };
    case 'MX':
      return { hostname: target(answer.data.exchange), priority: answer.data.preference ?? 0 };
    case 'TXT':
      return { text: textOf(answer.data) };
    case 'SRV': {
      const { priority = 0, weight = 0, port, target: name } = answer.data;
      return { hostname: target(name), priority, weight, port };
    }
    case 'CAA':
      return { data: `${answer.data.flags ?? 0} ${answer.data.tag} "${answer.data.value}"` };
    case 'DS':
      return { data: `${answer.data.keyTag} ${answer.data.algorithm} ${answer.data.digestType}` };
    default:
      return { data: '' };
  }
}

/** The strings of a TXT record are one text (RFC 7208 3.3 and what every provider shows). */
function textOf(data: packet.TxtData): string {
  const parts = Array.isArray(data) ? data : [data];
  return Buffer.concat(parts.map((part) => Buffer.from(part))).toString('utf8');
}
