import { recordTypes, textParts } from '#contracts/values/dns-records.ts';

/**
 * Records as vendors show them (a table with a head, labels with values, a line with the type first) as lines of a zone
 * file, each on the line where it was. What is a zone file already stays as it is.
 */

type Column = 'type' | 'name' | 'value' | 'ttl' | 'priority' | 'weight' | 'port';
type Cells = { [C in Column]?: string | undefined };

const columnNames: Readonly<Record<string, Column>> = {
  ...{ type: 'type', 'record type': 'type', 'dns record type': 'type', 'dns type': 'type' },
  ...{ name: 'name', host: 'name', hostname: 'name', subdomain: 'name', 'host name': 'name' },
  ...{ 'record name': 'name', 'dns name': 'name', 'host record': 'name', alias: 'name' },
  ...{
    value: 'value',
    data: 'value',
    content: 'value',
    target: 'value',
    answer: 'value',
    destination: 'value',
  },
  ...{
    'points to': 'value',
    'points to address or value': 'value',
    'record value': 'value',
    'txt value': 'value',
  },
  ...{ text: 'value', address: 'value', 'record data': 'value' },
  ...{ ttl: 'ttl', priority: 'priority', prio: 'priority', preference: 'priority' },
  ...{ weight: 'weight', port: 'port' },
};

const columnOf = (text: string): Column | undefined =>
  columnNames[text.trim().replace(/[*:]/g, '').trim().toLowerCase()];
const typeOf = (text: string | undefined) => recordTypes.find((type) => type === text?.trim().toUpperCase());

/** The longest text of one line that is looked at in parts; longer ones are the zone file's business. */
const longestLine = 8_000;

export function zoneTextOf(domain: string, text: string): string {
  const lines = text.split(/\r?\n/);
  if (lines.some((line) => /^\$(?:ORIGIN|TTL|INCLUDE)\b/i.test(line))) return text;
  return (tableOf(domain, lines) ?? labelsOf(domain, lines) ?? linesOf(domain, lines)).join('\n');
}

function splitBy(line: string): (text: string) => string[] {
  const by = line.includes('\t') ? '\t' : line.includes('|') ? '|' : null;
  const cut = (text: string) => {
    if (by === '|') return text.trim().replace(/^\|/, '').replace(/\|$/, '').split('|');
    return by === '\t' ? text.split('\t') : text.trim().split(/ {2,}/);
  };
  return (text) => cut(text.slice(0, longestLine)).map((cell) => cell.trim());
}

/** A head that names type and value, and the rows below it. */
function tableOf(domain: string, lines: readonly string[]): string[] | null {
  const at = lines.findIndex((line) => {
    const columns = splitBy(line)(line).map(columnOf);
    return columns.includes('type') && columns.includes('value');
  });
  const head = lines[at];
  if (head === undefined) return null;
  const cells = splitBy(head);
  const columns = cells(head).map(columnOf);
  return lines.map((line, index) => {
    if (index <= at || /^[\s|:-]*$/.test(line)) return '';
    const row: Cells = {};
    for (const [place, cell] of cells(line).entries()) {
      const column = columns[place];
      if (column && cell !== '') row[column] = cell;
    }
    return zoneLine(domain, row) ?? line;
  });
}

/** "Type: TXT", "Host: …", "Value: …", each on its own line; a label that comes again begins the next record. */
function labelsOf(domain: string, lines: readonly string[]): string[] | null {
  const out = lines.map(() => '');
  let row: Cells = {};
  let at = -1;
  let known = 0;
  const close = () => {
    const line = at >= 0 ? zoneLine(domain, row) : null;
    if (line) {
      out[at] = line;
      known += 1;
    }
    row = {};
    at = -1;
  };
  for (const [index, line] of lines.entries()) {
    const colon = line.indexOf(':');
    const column = colon > 0 && colon < 40 ? columnOf(line.slice(0, colon)) : undefined;
    if (!column) continue;
    if (row[column] !== undefined) close();
    if (at < 0) at = index;
    row[column] = line.slice(colon + 1).trim();
  }
  close();
  return known > 0 ? out : null;
}

/** Line by line. One that begins with a blank goes on with the name of the line above, where that one had a name (RFC 1035 §5.1). */
function linesOf(domain: string, lines: readonly string[]): string[] {
  let isNamed = false;
  return lines.map((line) => {
    if (!/^[ \t]/.test(line)) {
      // Between the two may be empty lines, comments, and the end of parentheses.
      if (!/^(?:$|[;)])/.test(line)) isNamed = !isTypeFirst(line) && namedLine.test(line);
    } else if (isNamed) {
      return line.replace(goesOnWithText, (_line, start, text) => start + dataOf('TXT', text.trim(), {}));
    }
    return lineOf(domain, line);
  });
}

/** A line with a name, whatever the type; prose ("Add a record") is none. */
const namedLine =
  /^\S+\s+(?:(?:IN|\d+[smhdw]?)\s+){0,2}(?:A\s+\d|(?:AAAA|CAA|CNAME|DNAME|DS|HTTPS|MX|NAPTR|NS|PTR|SOA|SRV|SSHFP|SVCB|TLSA|TXT)\s)/i;

/** A mail record of the name above: its semicolons would begin a comment. */
const goesOnWithText = /^(\s+(?:(?:IN|\d+[smhdw]?)\s+){0,2}TXT\s+)(v=(?:dkim1|spf1|dmarc1)\b.*)$/i;

/** Of a zone file: a name, perhaps a time and the class, a type (RFC 1035 §5.1). Hosts may be called `mx`, `a`, `srv` or `txt`. */
const nameFirst = /^\S+\s+(?:(?:IN|\d+[smhdw]?)\s+){0,2}(?:A|AAAA|CNAME|MX|TXT|SRV)\s/i;

function isTypeFirst(line: string): boolean {
  const words = line.trim().split(/\s+/, 3);
  return typeOf(words[0]) !== undefined && words.length > 2 && !nameFirst.test(line.trim());
}

/** "TXT name value", "MX 10 host", and "name TXT v=DKIM1; …", whose semicolons would begin a comment in a zone file. */
function lineOf(domain: string, line: string): string {
  const words = line.trim().split(/\s+/, 4);
  const [first = '', second = ''] = words;
  const rest = (after: number) => line.trim().split(/\s+/).slice(after).join(' ');
  if (isTypeFirst(line)) {
    const isOfDomain = typeOf(first) === 'MX' && words.length === 3 && /^\d+$/.test(second);
    const named = isOfDomain ? { name: '@', value: rest(1) } : { name: second, value: rest(2) };
    return zoneLine(domain, { type: first, ...named }) ?? line;
  }
  const at = words.findIndex((word, index) => index > 0 && word.toUpperCase() === 'TXT');
  const value = at > 0 ? rest(at + 1) : '';
  if (!/^v=(?:dkim1|spf1|dmarc1)\b/i.test(value)) return line;
  return zoneLine(domain, { type: 'TXT', name: first, value }) ?? line;
}

function zoneLine(
  domain: string,
  { type: typed, name, value, ttl, priority, weight, port }: Cells,
): string | null {
  const type = typeOf(typed);
  if (!type || value === undefined) return null;
  const time = /^\d{1,9}$/.test(ttl ?? '') ? ` ${ttl}` : '';
  const owner = fullName(domain, name ?? '@');
  return `${owner}${time} IN ${type} ${dataOf(type, value, { priority, weight, port })}`;
}

/** Vendors write names with the domain, and without the dot that ends a whole name in a zone file. */
function fullName(domain: string, name: string): string {
  const bare = name.trim().toLowerCase().replace(/\.$/, '');
  if (bare === '' || bare === '@' || bare === domain) return '@';
  return bare.endsWith(`.${domain}`) ? `${bare}.` : bare;
}

function dataOf(
  type: (typeof recordTypes)[number],
  value: string,
  { priority, weight, port }: Pick<Cells, 'priority' | 'weight' | 'port'>,
): string {
  if (type === 'TXT') {
    if (value.startsWith('"')) return value;
    return textParts(value)
      .map((part) => `"${part.replace(/[\\"]/g, '\\$&')}"`)
      .join(' ');
  }
  if (type === 'A' || type === 'AAAA') return value;
  const words = value.split(/\s+/);
  const target = words.pop() ?? '';
  // A number without a column of its own stands before the target; none is taken for another one.
  const numbers = [priority, weight, port]
    .map((cell) => cell || (type === 'SRV' ? words.shift() : undefined))
    .filter((number) => number !== undefined);
  return [...numbers, ...words, target.endsWith('.') ? target : `${target}.`].join(' ');
}
