/** Values of the registrar's data blocks: text, lists and maps of them. Nothing is turned into another type by guess. */
export type XcpValue = string | XcpValue[] | XcpMap;
export interface XcpMap {
  [key: string]: XcpValue;
}

/** What a request may carry. `undefined` leaves the key out. */
export type XcpInput = string | XcpInput[] | { [key: string]: XcpInput | undefined };
export type XcpAttributes = { [key: string]: XcpInput | undefined };

export function isMap(value: XcpValue | undefined): value is XcpMap {
  return typeof value === 'object' && !Array.isArray(value);
}

/** Text at the key; empty and absent are the same, as the vendor's own documents use them (§2.1). */
export function text(map: XcpMap | undefined, key: string): string | null {
  const value = map?.[key];
  if (typeof value !== 'string') return null;
  const trimmed = value.trim();
  return trimmed === '' ? null : trimmed;
}

export function map(parent: XcpMap | undefined, key: string): XcpMap | undefined {
  const value = parent?.[key];
  return isMap(value) ? value : undefined;
}

/** The list at the key. A lone map or text where a list is usual is read as a list of one; absent is empty. */
export function list(parent: XcpMap | undefined, key: string): XcpValue[] {
  const value = parent?.[key];
  if (Array.isArray(value)) return value;
  if (value === undefined || value === '' || (isMap(value) && Object.keys(value).length === 0)) return [];
  return [value];
}

export function maps(parent: XcpMap | undefined, key: string): XcpMap[] {
  return list(parent, key).filter(isMap);
}

/** `1`, `Y`, `true`, in any case: the vendor uses several (§4). */
export function flag(parent: XcpMap | undefined, key: string): boolean {
  const value = text(parent, key)?.toLowerCase();
  return value === '1' || value === 'y' || value === 'yes' || value === 'true';
}

/** One line of text: the vendor wraps its texts (§2.1). */
export function oneLine(value: string): string {
  return value.replace(/\s+/g, ' ').trim();
}
