import type { XcpAttributes, XcpInput } from './xcp.ts';

/** Text that no XML document can hold. Refused before anything is signed or sent. */
export class IllegalText extends Error {
  override readonly name = 'IllegalText';
}

const preamble =
  "<?xml version='1.0' encoding='UTF-8' standalone='no' ?>\n<!DOCTYPE OPS_envelope SYSTEM 'ops.dtd'>\n";

/** One request in the vendor's envelope, with the full preamble and keys in the given order: same input, same bytes. */
export function serialise(action: string, object: string, attributes: XcpAttributes): Buffer {
  const block = element({ protocol: 'XCP', action, object, attributes });
  const xml = `${preamble}<OPS_envelope><header><version>0.9</version></header><body><data_block>${block}</data_block></body></OPS_envelope>`;
  return Buffer.from(xml, 'utf8');
}

function element(value: XcpInput): string {
  if (typeof value === 'string') return escapeText(value);
  if (Array.isArray(value)) {
    const items = value.map((entry, index) => item(String(index), entry)).join('');
    return `<dt_array>${items}</dt_array>`;
  }
  const items = Object.entries(value).map(([key, entry]) => (entry === undefined ? '' : item(key, entry)));
  return `<dt_assoc>${items.join('')}</dt_assoc>`;
}

function item(key: string, value: XcpInput): string {
  return `<item key="${escapeText(key)}">${element(value)}</item>`;
}

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  "'": '&apos;',
  '"': '&quot;',
  // A bare carriage return would reach the other side as a line feed.
  '\r': '&#13;',
};

/** What is no `Char` of XML 1.0: control characters but tab and line ends, and lone surrogates. */
const noXmlCharacter = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** ASCII without markup, as nearly all of it is. */
const plainText = /^[\x20\x21\x23-\x25\x28-\x3b\x3d\x3f-\x7e]*$/;

function escapeText(value: string): string {
  if (plainText.test(value)) return value;
  const point = noXmlCharacter.exec(value)?.[0].codePointAt(0);
  if (point !== undefined) {
    throw new IllegalText(`character U+${point.toString(16).padStart(4, '0')} cannot be sent`);
  }
  return value.replace(/[&<>'"\r]/g, (character) => escapes[character] ?? character);
}
