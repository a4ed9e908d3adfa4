import { SaxesParser } from 'saxes';
import type { XcpMap, XcpRequest, XcpValue } from './xcp.ts';

export const BODY_LIMIT_BYTES = 5 * 1024 * 1024;
const DEPTH_LIMIT = 64;

class UnreadableEnvelope extends Error {}

interface Frame {
  kind: 'item' | 'assoc' | 'array' | 'scalar' | 'other';
  key: string;
  text: string;
  value: XcpValue | undefined;
  items: [key: string, value: XcpValue][];
}

const kinds: Record<string, Frame['kind']> = {
  item: 'item',
  dt_assoc: 'assoc',
  dt_array: 'array',
  dt_scalar: 'scalar',
  dt_scalarref: 'scalar',
};

/**
 * The top-level map of an envelope. Lenient in what callers are known to vary (preamble, DOCTYPE, order, case),
 * strict in what may hurt: no entity is ever declared or resolved, depth and size are capped.
 */
export function parseEnvelope(body: Uint8Array): XcpMap {
  const xml = decode(body);
  const parser = new SaxesParser({ xmlns: false });
  const stack: Frame[] = [];
  let top: XcpMap | undefined;
  parser.on('error', (error) => {
    throw new UnreadableEnvelope(error.message);
  });
  parser.on('doctype', (doctype) => {
    // The vendor's DTD declares entities; the name of the DTD may stand there, declarations may not.
    if (doctype.includes('[')) throw new UnreadableEnvelope('DOCTYPE with declarations');
  });
  parser.on('opentag', (tag) => {
    if (stack.length >= DEPTH_LIMIT) throw new UnreadableEnvelope('too deep');
    const key = tag.attributes.key;
    stack.push({ kind: kinds[tag.name] ?? 'other', key: key ?? '', text: '', value: undefined, items: [] });
    if (tag.name === 'item' && key === undefined) throw new UnreadableEnvelope('item without key');
  });
  const onText = (text: string) => {
    const frame = stack.at(-1);
    if (frame) frame.text += text;
  };
  parser.on('text', onText);
  parser.on('cdata', onText);
  parser.on('closetag', () => {
    const frame = stack.pop();
    if (!frame || frame.kind === 'other') return;
    const value = frameValue(frame);
    const parent = stack.at(-1);
    if (!parent || parent.kind === 'other') {
      if (top === undefined && typeof value === 'object' && !Array.isArray(value)) top = value;
    } else if (frame.kind === 'item') parent.items.push([frame.key, value]);
    else parent.value = value;
  });
  try {
    parser.write(xml).close();
  } catch (error) {
    throw error instanceof UnreadableEnvelope ? error : new UnreadableEnvelope(String(error));
  }
  if (!top) throw new UnreadableEnvelope('no data block');
  return top;
}

function decode(body: Uint8Array): string {
  if (body.length > BODY_LIMIT_BYTES) throw new UnreadableEnvelope('too large');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new UnreadableEnvelope('not UTF-8');
  }
}

function frameValue(frame: Frame): XcpValue {
  if (frame.kind === 'item' || frame.kind === 'scalar') return frame.value ?? frame.text;
  if (frame.value !== undefined && frame.items.length === 0) return frame.value;
  if (frame.kind === 'array') {
    const sorted = [...frame.items].sort(([left], [right]) => Number(left) - Number(right));
    return sorted.map(([, value]) => value);
  }
  const map: XcpMap = Object.create(null);
  for (const [key, value] of frame.items) map[key] = value;
  return map;
}

/** Reads action, object and domain from wherever the known clients put them. */
export function requestOf(top: XcpMap): XcpRequest {
  const text = (value: XcpValue | undefined) => (typeof value === 'string' ? value.trim() : '');
  const given = top.attributes;
  const attributes: XcpMap =
    typeof given === 'object' && !Array.isArray(given) ? given : (Object.create(null) as XcpMap);
  const domain = text(attributes.domain) || text(top.domain);
  return {
    action: text(top.action).toUpperCase(),
    object: text(top.object).toUpperCase(),
    attributes,
    domain: domain.toLowerCase(),
  };
}
