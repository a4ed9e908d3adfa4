import * as packet from 'dns-packet';
import { type ResolveContext, resolve } from './resolve.ts';
import { wholeZone } from './zone.ts';

const FORMERR = 1;
const SERVFAIL = 2;
const NOTIMP = 4;
const REFUSED = 5;
const QUERY_RESPONSE = 1 << 15;
const AUTHORITATIVE = 1 << 10;
const TRUNCATED = 1 << 9;
const RECURSION_DESIRED = 1 << 8;
const HEADER_BYTES = 12;
/** Without EDNS a datagram holds 512 bytes; with it we offer what passes every network. */
const PLAIN_BYTES = 512;
const EDNS_BYTES = 1232;

export type Mode = 'normal' | 'silent' | 'servfail';

/** The reply to one message, or null where nothing can or shall be said. */
export function replyTo(
  context: ResolveContext,
  message: Buffer,
  overTcp: boolean,
  mode: Mode,
): Buffer | null {
  if (mode === 'silent' || message.length < HEADER_BYTES) return null;
  const flags = message.readUInt16BE(2);
  if (flags & QUERY_RESPONSE) return null;
  let query: packet.DecodedPacket;
  try {
    query = packet.decode(message);
  } catch {
    return bare(message, FORMERR);
  }
  if ((flags >> 11) & 0xf) return bare(message, NOTIMP);
  const [question, ...others] = query.questions ?? [];
  if (!question || others.length > 0) return bare(message, FORMERR);
  return answerTo(context, query, question, { asked: flags, overTcp, mode });
}

function answerTo(
  context: ResolveContext,
  query: packet.DecodedPacket,
  question: packet.Question,
  { asked, overTcp, mode }: { asked: number; overTcp: boolean; mode: Mode },
): Buffer {
  const opt = query.additionals?.find((record) => record.type === 'OPT');
  const asName = question.name.toLowerCase().replace(/\.$/, '');
  if (question.type === 'AXFR' && overTcp && mode === 'normal') {
    const zone = context.hosted.view(context.reader, asName);
    if (zone?.axfr) {
      const [id, questions, answers] = [query.id ?? 0, [question], wholeZone(zone)];
      return packet.encode({ type: 'response', id, flags: AUTHORITATIVE, questions, answers });
    }
  }
  const refused = question.class !== 'IN' || ['AXFR', 'IXFR'].includes(question.type);
  if (refused || mode === 'servfail') {
    return packet.encode({
      type: 'response',
      id: query.id ?? 0,
      flags: (asked & RECURSION_DESIRED) | (refused ? REFUSED : SERVFAIL),
      questions: [question],
      additionals: opt ? [edns()] : [],
    });
  }
  const found = resolve(context, asName, question.type);
  const limit = overTcp ? 65_535 : Math.max(PLAIN_BYTES, Math.min(sizeOf(opt), EDNS_BYTES));
  const head = (asked & RECURSION_DESIRED) | (found.authoritative ? AUTHORITATIVE : 0) | found.rcode;
  const additionals = [...found.additionals, ...(opt ? [edns()] : [])];
  const whole = packet.encode({
    type: 'response',
    id: query.id ?? 0,
    flags: head,
    questions: [question],
    answers: found.answers,
    authorities: found.authorities,
    additionals,
  });
  if (whole.length <= limit) return whole;
  return packet.encode({
    type: 'response',
    id: query.id ?? 0,
    flags: head | TRUNCATED,
    questions: [question],
    additionals: opt ? [edns()] : [],
  });
}

function sizeOf(opt: packet.Answer | undefined): number {
  return opt?.type === 'OPT' ? opt.udpPayloadSize : PLAIN_BYTES;
}

function edns(): packet.OptAnswer {
  return {
    type: 'OPT',
    name: '.',
    udpPayloadSize: EDNS_BYTES,
    extendedRcode: 0,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    options: [],
  };
}

/** A header alone: for messages whose question cannot be read. */
function bare(message: Buffer, rcode: number): Buffer {
  const reply = Buffer.alloc(HEADER_BYTES);
  message.copy(reply, 0, 0, 4);
  const kept = message.readUInt16BE(2) & (0x7800 | RECURSION_DESIRED);
  reply.writeUInt16BE(QUERY_RESPONSE | kept | rcode, 2);
  return reply;
}
