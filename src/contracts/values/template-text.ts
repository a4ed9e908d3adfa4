import { type DnsRecord, fieldOrder, recordData, recordTypes } from './dns-records.ts';

/** Records of a template as text: one per line, `name type data`, with marks such as `{host}` in their fields. */

export type TemplateReading =
  | { ok: true; records: DnsRecord[] }
  | { ok: false; line: number; message: string };

/** The text that is read as these records again. */
export function templateText(records: readonly DnsRecord[]): string {
  return records
    .map((record) => `${record.subdomain || '@'} ${record.type} ${recordData(record)}`)
    .join('\n');
}

/** What the lines say. Whether it is right for a domain is seen when the marks have their values. */
export function readTemplateText(text: string): TemplateReading {
  const records: DnsRecord[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const read = readLine(line.trim());
    if (typeof read === 'string') return { ok: false, line: index + 1, message: read };
    records.push(read);
  }
  return { ok: true, records };
}

const wholeNumber = /^\d{1,5}$/;
const numbers: ReadonlySet<string> = new Set(['priority', 'weight', 'port']);

function readLine(line: string): DnsRecord | string {
  const [name = '', typed = '', ...data] = line.split(/\s+/);
  const type = recordTypes.find((known) => known === typed.toUpperCase());
  if (!type) return `Please write a name, then one of ${recordTypes.join(', ')}, then the data`;
  const fields = fieldOrder[type];
  if (data.length < fields.length)
    return `${type} needs ${fields.length === 1 ? 'a value' : fields.join(', ')}`;
  const record: Record<string, unknown> = { type, subdomain: name === '@' ? '' : name.toLowerCase() };
  for (const [index, field] of fields.entries()) {
    const isLast = index === fields.length - 1;
    const value = isLast ? restOf(line, index + 2) : (data[index] ?? '');
    if (numbers.has(field)) {
      if (!wholeNumber.test(value)) return `${field} must be a number`;
      record[field] = Number(value);
    } else record[field] = value;
  }
  return record as unknown as DnsRecord;
}

/** All behind so many words, with the blanks between: a text keeps them. */
function restOf(line: string, words: number): string {
  let rest = line;
  for (let word = 0; word < words; word += 1) rest = rest.replace(/^\S+\s+/, '');
  return rest;
}
