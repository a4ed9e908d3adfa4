import { SaxesParser } from 'saxes';
import { isMap, type XcpMap, type XcpValue } from './xcp.ts';

/** The answer is not one: empty, cut off, no XML, no envelope, too large or too deep. */
export class Garbage extends Error {
  override readonly name = 'Garbage';
}

/** Above the largest listing; below what could hold this process up (design: security, registrar XML). */
export const maxReplyBytes = 5 * 1024 * 1024;
const maxDepth = 64;

/** What the vendor says about a command, before its codes are given a meaning. */
export interface Reply {
  code: string;
  success: boolean;
  text: string;
  attributes: XcpMap;
  /** Everything beside the attributes, e.g. `is_search_completed`. */
  top: XcpMap;
}

/** Reads an answer. Throws `Garbage`. The caller then does not know what happened. */
export function parseReply(body: Buffer): Reply {
  const top = parseEnvelope(body);
  const code = typeof top.response_code === 'string' ? top.response_code.trim() : '';
  const success = typeof top.is_success === 'string' ? top.is_success.trim() : '';
  if (!/^\d{1,5}$/.test(code) || !/^[01]$/.test(success)) {
    throw new Garbage('an answer without response_code and is_success');
  }
  return {
    code,
    success: success === '1',
    text: typeof top.response_text === 'string' ? top.response_text.trim() : '',
    attributes: isMap(top.attributes) ? top.attributes : {},
    top,
  };
}

/** The map under `data_block`. The DTD and its entities are never loaded; own declarations are refused. */
export function parseEnvelope(body: Buffer): XcpMap {
  if (body.length === 0) throw new Garbage('an empty answer');
  if (body.length > maxReplyBytes) throw new Garbage(`an answer of ${body.length} bytes`);
  const text = decode(body);
  return parsePlain(text) ?? parseXml(text);
}

/** What begins nearly every answer, and what ends it. A carriage return is none of it: XML makes a line feed of it. */
const plainHead =
  /^(?:<\?xml version=(?:"1\.0"|'1\.0')(?: encoding=(?:"UTF-8"|'UTF-8'))?(?: standalone=(?:"no"|'no'))? ?\?>[ \t\n]*)?(?:<!DOCTYPE OPS_envelope SYSTEM (?:"ops\.dtd"|'ops\.dtd')>[ \t\n]*)?<OPS_envelope>[ \t\n]*<header>[ \t\n]*<version>0\.9<\/version>[ \t\n]*<\/header>[ \t\n]*<body>[ \t\n]*<data_block>[ \t\n]*/;
const plainTail = /^[ \t\n]*<\/data_block>[ \t\n]*<\/body>[ \t\n]*<\/OPS_envelope>[ \t\n]*$/;
/** One tag, and the text up to the next. Neither holds anything that XML reads in another way than it is written. */
const plainTag =
  /<(?:\/(?:item|dt_assoc|dt_array|dt_scalar)|(?:item|dt_assoc|dt_array|dt_scalar)(?: key="[\x20\x21\x23-\x25\x27-\x3b\x3d\x3f-\x7e]*")?\/?)>[\t\n\x20-\x25\x27-\x3b\x3d\x3f-\x7e\xa0-\ud7ff\ue000-\ufffd]*/y;
/** What is around a plain answer. */
const around = ['OPS_envelope', 'body', 'data_block'];
const slash = '/'.charCodeAt(0);
const beforeKey = ' key="'.length;

/**
 * Reads the plain form that the vendor writes, five times as fast as a parser of all XML: a long list holds up nobody. null: this
 * is not the plain form, and nothing is said of it. Both build the same, and refuse the same.
 */
export function parsePlain(xml: string): XcpMap | null {
  const head = plainHead.exec(xml);
  if (!head) return null;
  const builder = new Builder();
  builder.enter(...around);
  const open: string[] = [];
  let at = head[0].length;
  plainTag.lastIndex = at;
  // It says whether a tag is plain; what is in it is cut out here, without the list that `exec` makes for each.
  while (plainTag.test(xml)) {
    const textAt = xml.indexOf('>', at) + 1;
    if (xml.charCodeAt(at + 1) === slash) {
      const closed = xml.slice(at + 2, textAt - 1);
      if (open.pop() !== closed) return null;
      builder.close(closed);
    } else {
      const isEmpty = xml.charCodeAt(textAt - 2) === slash;
      const tagEnd = isEmpty ? textAt - 2 : textAt - 1;
      const name = nameAt(xml, at + 1);
      builder.open(name, keyBetween(xml, at + 1 + name.length, tagEnd));
      if (isEmpty) builder.close(name);
      else open.push(name);
    }
    if (plainTag.lastIndex > textAt) builder.text(xml.slice(textAt, plainTag.lastIndex));
    at = plainTag.lastIndex;
  }
  if (open.length > 0 || !plainTail.test(xml.slice(at))) return null;
  builder.leave(...around);
  return builder.result();
}

/** The name of a plain tag. */
function nameAt(xml: string, at: number): string {
  return plainNames.find((name) => xml.startsWith(name, at)) ?? '';
}

/** The key of a plain tag, from the end of its name to its own. */
function keyBetween(xml: string, nameEnd: number, tagEnd: number): string | undefined {
  return nameEnd === tagEnd ? undefined : xml.slice(nameEnd + beforeKey, tagEnd - 1);
}

const plainNames = ['item', 'dt_assoc', 'dt_array', 'dt_scalar'];

/** Exported for the comparison with `parsePlain`. */
export function parseXml(xml: string): XcpMap {
  const builder = new Builder();
  const parser = new SaxesParser<{ xmlns: false }>({ xmlns: false });
  parser.on('doctype', (doctype) => {
    if (doctype.includes('[') || /<!/.test(doctype)) throw new Garbage('an answer with its own declarations');
  });
  parser.on('opentag', (tag) => builder.open(tag.name, tag.attributes.key));
  parser.on('closetag', (tag) => builder.close(tag.name));
  parser.on('text', (value) => builder.text(value));
  parser.on('cdata', (value) => builder.text(value));
  parser.on('error', (error) => {
    throw new Garbage(`no XML: ${error.message}`);
  });
  parser.write(xml).close();
  return builder.result();
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decode(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch (error) {
    throw new Garbage('an answer that is not UTF-8', { cause: error });
  }
}

const containers = new Set(['dt_assoc', 'dt_array', 'dt_scalar', 'dt_scalarref']);

interface Frame {
  name: string;
  key: string;
  text: string;
  /** Of a container. */
  entries: [string, XcpValue][];
  /** The one container inside an item. */
  child: XcpValue | undefined;
}
/** Of what holds no items. */
const none: [string, XcpValue][] = Object.freeze([]) as never;

class Builder {
  readonly #frames: Frame[] = [];
  #block: XcpValue | undefined;
  #envelope = false;

  open(name: string, key: string | undefined): void {
    if (this.#frames.length >= maxDepth) throw new Garbage('an answer nested too deeply');
    if (this.#frames.length === 0) {
      if (name !== 'OPS_envelope') throw new Garbage(`an answer in <${name}>`);
      this.#envelope = true;
    }
    const parent = this.#frames.at(-1);
    if (name === 'item') {
      if (parent?.name !== 'dt_assoc' && parent?.name !== 'dt_array') throw new Garbage('an item in no list');
      if (key === undefined) throw new Garbage('an item without a key');
    }
    const entries = containers.has(name) ? [] : none;
    this.#frames.push({ name, key: key ?? '', text: '', entries, child: undefined });
  }

  /** Elements one in the other, without attributes. */
  enter(...names: string[]): void {
    for (const name of names) this.open(name, undefined);
  }

  leave(...names: string[]): void {
    for (const name of names.reverse()) this.close(name);
  }

  text(value: string): void {
    const frame = this.#frames.at(-1);
    if (frame) frame.text += value;
  }

  close(name: string): void {
    const frame = this.#frames.pop();
    const parent = this.#frames.at(-1);
    if (!frame || !parent) return;
    if (containers.has(name)) this.#contain(parent, contentOf(frame));
    else if (name === 'item') parent.entries.push([frame.key, frame.child ?? frame.text]);
  }

  #contain(parent: Frame, value: XcpValue): void {
    if (parent.name === 'data_block') this.#block = value;
    else if (parent.child === undefined) parent.child = value;
    else throw new Garbage('two values in one item');
  }

  result(): XcpMap {
    if (!this.#envelope || !isMap(this.#block)) throw new Garbage('an answer without a data block');
    return this.#block;
  }
}

function contentOf(frame: Frame): XcpValue {
  if (frame.name === 'dt_scalar' || frame.name === 'dt_scalarref') return frame.text;
  if (frame.name === 'dt_array') {
    // The numeric key gives the order, not the place in the text (§2.1).
    return frame.entries
      .map(([key, value]) => ({ index: indexOf(key), value }))
      .sort((a, b) => a.index - b.index)
      .map(({ value }) => value);
  }
  const result: XcpMap = Object.create(null);
  for (const [key, value] of frame.entries) {
    if (Object.hasOwn(result, key)) throw new Garbage(`the key ${key} twice`);
    result[key] = value;
  }
  return result;
}

function indexOf(key: string): number {
  if (!/^\d{1,7}$/.test(key)) throw new Garbage(`the list index ${key}`);
  return Number(key);
}
