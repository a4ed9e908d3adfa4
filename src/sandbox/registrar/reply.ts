import type { Random } from './random.ts';
import { isMap, type XcpMap, type XcpReply, type XcpValue } from './xcp.ts';

export interface ReplyOptions {
  random: Random;
  /** Upper case; empty where the request had none. */
  object: string;
  /** Vary case, line breaks and the final full stop of the text, as the service does between commands. */
  variants: boolean;
}

/** The reply in the layout of captures from the live service: key order is random there, and so it is here. */
export function writeReply(reply: XcpReply, options: ReplyOptions): Buffer {
  const { random } = options;
  const top: XcpMap = {
    protocol: 'XCP',
    action: 'REPLY',
    is_success: reply.success ? '1' : '0',
    response_code: String(reply.code),
    response_text: options.variants ? varied(reply.text, random) : reply.text,
    ...reply.top,
  };
  if (options.object && !reply.withoutObject) top.object = options.object;
  if (reply.attributes) top.attributes = reply.attributes;
  const lines = [
    `<?xml version='1.0' encoding="UTF-8" standalone="no" ?>`,
    '<!DOCTYPE OPS_envelope SYSTEM "ops.dtd">',
    '<OPS_envelope>',
    ' <header>',
    '  <version>0.9</version>',
    '  </header>',
    ' <body>',
    '  <data_block>',
    ...structure(top, '   ', random),
    '  </data_block>',
    ' </body>',
    '</OPS_envelope>',
  ];
  return Buffer.from(lines.join('\n'), 'utf8');
}

function structure(value: XcpMap | XcpValue[], indent: string, random: Random): string[] {
  const tag = Array.isArray(value) ? 'dt_array' : 'dt_assoc';
  const entries = Array.isArray(value)
    ? value.map((item, index): [string, XcpValue] => [String(index), item])
    : Object.entries(value);
  const lines = random.shuffled(entries).flatMap(([key, item]) => itemLines(key, item, `${indent} `, random));
  return [`${indent}<${tag}>`, ...lines, `${indent}</${tag}>`];
}

function itemLines(key: string, value: XcpValue, indent: string, random: Random): string[] {
  const open = `${indent}<item key="${escaped(key)}">`;
  if (Array.isArray(value) || isMap(value)) {
    return [open, ...structure(value, `${indent} `, random), `${indent}</item>`];
  }
  return [`${open}${escaped(value)}</item>`];
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;');
}

function varied(text: string, random: Random): string {
  const forms: ((text: string) => string)[] = [
    (same) => same,
    (same) => (same.endsWith('.') ? same.slice(0, -1) : `${same}.`),
    (same) => same.toLowerCase(),
    (same) => same.replace(' ', '\n  '),
  ];
  return random.pick(forms)(text);
}
