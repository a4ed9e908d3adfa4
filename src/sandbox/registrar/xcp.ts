/** What travels in an envelope. Every leaf is text (OpenSRS XCP, checked 2026-11-21). */
export type XcpValue = string | XcpValue[] | XcpMap;
export interface XcpMap {
  [key: string]: XcpValue;
}

export interface XcpRequest {
  /** Upper case. */
  action: string;
  /** Upper case. */
  object: string;
  attributes: XcpMap;
  /** The `domain` attribute, else the top-level item of that name; lower case; empty if neither is there. */
  domain: string;
}

export interface XcpReply {
  code: number;
  success: boolean;
  text: string;
  attributes?: XcpMap;
  /** Further top-level items, as NAME_SUGGEST has them. */
  top?: XcpMap;
  /** NAME_SUGGEST and some refusals carry no object. */
  withoutObject?: boolean;
}

/** Ends a command without any effect: what it has written is rolled back. */
export class Refusal extends Error {
  readonly reply: XcpReply;

  constructor(code: number, text: string, attributes?: XcpMap) {
    super(text);
    this.reply = { code, success: false, text, ...(attributes ? { attributes } : {}) };
  }
}

export function ok(text: string, attributes?: XcpMap): XcpReply {
  return { code: 200, success: true, text, ...(attributes ? { attributes } : {}) };
}

export function failed(code: number, text: string, attributes?: XcpMap): XcpReply {
  return { code, success: false, text, ...(attributes ? { attributes } : {}) };
}

export function textOf(map: XcpMap, key: string): string {
  const value = map[key];
  return typeof value === 'string' ? value.trim() : '';
}

export function mapOf(map: XcpMap, key: string): XcpMap {
  const value = map[key];
  return isMap(value) ? value : {};
}

/** Clients send a list of one as text, and an empty one as an empty map: all are read as lists. */
export function listOf(map: XcpMap, key: string): XcpValue[] {
  const value = map[key];
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') return value.trim() ? [value] : [];
  return value ? Object.values(value) : [];
}

export function textsOf(map: XcpMap, key: string): string[] {
  return listOf(map, key).flatMap((value) => (typeof value === 'string' ? [value.trim()] : []));
}

export function isMap(value: XcpValue | undefined): value is XcpMap {
  return typeof value === 'object' && !Array.isArray(value);
}

export function flag(on: boolean): string {
  return on ? '1' : '0';
}
