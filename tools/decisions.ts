import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One decision as its file states it. `status` may hold a link to the decision that replaced this one. */
export interface Decision {
  readonly file: string;
  readonly number: number;
  readonly title: string;
  readonly status: string;
  readonly date: string;
}

const form = /^# (\d+)\. (.+)\n\n((?:Accepted|Superseded|Rejected)[^\n]*?) · (\d{4}-\d\d-\d\d)\n\n\S/;

/**
 * Reads the head of a decision: `# 12. Title`, an empty line, `Accepted · 2026-11-22`, an empty line, the text.
 * @throws Error with a sentence that says what the file lacks
 */
export function decisionOf(file: string, text: string): Decision {
  const [, number = '', title = '', status = '', date = ''] = form.exec(text) ?? [];
  if (!number) {
    throw new Error(
      `docs/decisions/${file} must begin with "# <number>. <title>", an empty line, "Accepted · <yyyy-mm-dd>" (or "Superseded by [n](file) · <date>"), and an empty line.`,
    );
  }
  if (file.slice(0, 4) !== number.padStart(4, '0')) {
    throw new Error(`docs/decisions/${file} calls itself number ${number}.`);
  }
  return { file, number: Number(number), title, status, date };
}

/**
 * All decisions of a folder, by number.
 * @throws Error if a head is incomplete or two decisions have one number
 */
export function decisionsIn(folder: string): Decision[] {
  const all = readdirSync(folder)
    .filter((file) => /^\d{4}-[a-z0-9-]+\.md$/.test(file))
    .sort()
    .map((file) => decisionOf(file, readFileSync(join(folder, file), 'utf8')));
  const double = all.find((decision, index) => decision.number === all[index - 1]?.number);
  if (double)
    throw new Error(`Two decisions have the number ${double.number}. Give ${double.file} the next free one.`);
  return all;
}

/** The index, docs/decisions/README.md. */
export function indexOf(decisions: readonly Decision[]): string {
  const rows = decisions.map(
    ({ file, number, title, status, date }) => `| ${number} | [${title}](${file}) | ${status} | ${date} |`,
  );
  return `# Decisions

Why things are as they are. Each page gives the context, the decision and its consequences, and is not rewritten when a later
decision replaces it: its status then names the later one. Numbers may have gaps. \`npm run gen\` writes this index.

| No. | Decision | Status | Date |
|---|---|---|---|
${rows.join('\n')}
`;
}
