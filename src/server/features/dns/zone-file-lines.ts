/** The outer form of zone files (RFC 1035 §5.1): lines, parentheses, comments, quoted strings, escapes. */

export interface LeftOut {
  line: number;
  text: string;
  reason: string;
}

export interface Token {
  /** As written, without its quotes; escapes stand. */
  raw: string;
  quoted: boolean;
}

export interface LogicalLine {
  /** Of the file, from 1: where it begins. */
  number: number;
  text: string;
  tokens: Token[];
  /** Begins with a blank: of the name before. */
  continued: boolean;
  problem: string | null;
}

/** The longest text of a TXT record, each byte written as `\\DDD`, takes a third of it. */
const longestLine = 64_000;
/** More than any record has; a line of a million words is no line of a zone file. */
const mostTokens = 1_000;
const tooLong = 'This line is too long';

/** Lines as they are meant: those in parentheses are one. Empty ones come too: the reader gives way between them. */
export function* logicalLines(file: string): Generator<LogicalLine> {
  let open: OpenLine | null = null;
  let number = 0;
  for (const text of physicalLines(file)) {
    number += 1;
    const line: OpenLine = open ?? {
      ...{ number, text: '', tokens: [], problem: null, depth: 0 },
      continued: /^[ \t]/.test(text),
    };
    extend(line, text);
    open = line.depth > 0 && line.problem === null ? line : null;
    if (!open) yield line;
  }
  if (open) yield { ...open, problem: 'An opening parenthesis has no closing parenthesis' };
}

type OpenLine = LogicalLine & { depth: number };

/** Adds what the next line of the file says. */
function extend(line: OpenLine, text: string): void {
  const long = line.text.length + text.length > longestLine;
  const added = long ? text.slice(0, 300) : text;
  line.text = line.text ? `${line.text} ${added.trim()}` : added.trim();
  const read = long ? { tokens: [], depth: 0, problem: tooLong } : tokensOf(text);
  for (const token of read.tokens) line.tokens.push(token);
  line.depth += read.depth;
  line.problem ??=
    read.problem ?? (line.depth < 0 ? 'A closing parenthesis has no opening parenthesis' : null);
  if (line.tokens.length > mostTokens) line.problem ??= tooLong;
}

/** One after another, so that nobody waits for the whole file to be cut. */
function* physicalLines(file: string): Generator<string> {
  const end = /\r\n|\n|\r/g;
  let from = file.startsWith('\uFEFF') ? 1 : 0;
  end.lastIndex = from;
  for (let found = end.exec(file); found; found = end.exec(file)) {
    yield file.slice(from, found.index);
    from = end.lastIndex;
  }
  yield file.slice(from);
}

function tokensOf(text: string): { tokens: Token[]; depth: number; problem: string | null } {
  const tokens: Token[] = [];
  let depth = 0;
  let at = 0;
  while (at < text.length) {
    const character = text[at] ?? '';
    if (character === ';') break;
    if (character === '(' || character === ')') {
      depth += character === '(' ? 1 : -1;
      at += 1;
    } else if (character === '"') {
      const end = closingQuote(text, at + 1);
      if (end < 0) return { tokens, depth, problem: 'A quotation mark is not closed' };
      tokens.push({ raw: text.slice(at + 1, end), quoted: true });
      at = end + 1;
    } else if (/\s/.test(character)) {
      at += 1;
    } else {
      const [raw = character] = /^(?:\\.|[^\s;()"\\])+|^\\$/u.exec(text.slice(at)) ?? [];
      tokens.push({ raw, quoted: false });
      at += raw.length;
    }
  }
  return { tokens, depth, problem: null };
}

function closingQuote(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return -1;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Strings put together, `\DDD` and `\X` read; null when the bytes are no text. */
export function tokenText(tokens: readonly Token[]): string | null {
  const bytes = tokens.flatMap(({ raw }) => [...bytesOf(raw)]);
  try {
    return decoder.decode(new Uint8Array(bytes));
  } catch {
    return null;
  }
}

function* bytesOf(raw: string): Generator<number> {
  for (let at = 0; at < raw.length; ) {
    if (raw[at] === '\\') {
      const [digits] = /^\d{3}/.exec(raw.slice(at + 1)) ?? [];
      if (digits && Number(digits) <= 255) {
        yield Number(digits);
        at += 4;
        continue;
      }
      at += 1;
    }
    const character = String.fromCodePoint(raw.codePointAt(at) ?? 0x5c);
    yield* Buffer.from(character, 'utf8');
    at += Math.max(1, character.length);
  }
}
