/** One measured figure beside what it is held against. */
export interface Result {
  name: string;
  /** As shown: the figure with its unit. */
  measured: string;
  /** What it must reach, or '' where the figure is for information. */
  target: string;
  /** null: for information. */
  passed: boolean | null;
  /** Figures behind it, for results.json. */
  figures: Record<string, number>;
}

/** The middle one; of an even number the lower of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  if (middle === undefined) throw new Error('no measurement');
  return middle;
}

/** The middle of a figure's rounds, with the least and the most of them: what lies between is the noise. */
export function ofRounds(values: readonly number[]): { ratio: number; worst: number; best: number } {
  return { ratio: median(values), worst: Math.min(...values), best: Math.max(...values) };
}

/** Lines whose middle has left the noise of the run before, in words. Each of the two is outside of the other's rounds. */
export function movedSince(before: readonly Result[], now: readonly Result[]): string[] {
  const known = new Map(before.map((result) => [result.name, result.figures]));
  return now.flatMap(({ name, figures }) => {
    const then = known.get(name);
    if (!then || !isBeyond(then, figures) || !isBeyond(figures, then)) return [];
    const [from, to] = [then, figures].map(({ ratio = 0 }) => ratio.toFixed(2));
    return [`${name}: ${from} → ${to}`];
  });
}

/** A line without rounds has no noise that is known, and is never said to have moved. */
function isBeyond({ ratio }: Result['figures'], { worst, best }: Result['figures']): boolean {
  if (ratio === undefined || worst === undefined || best === undefined) return false;
  return ratio < worst || ratio > best;
}

export function formatTable(results: readonly Result[]): string {
  const rows = [
    ['', 'measured', 'target', ''],
    ...results.map((result) => [result.name, result.measured, result.target, verdict(result)]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

function verdict(result: Result): string {
  if (result.passed === null) return '';
  return result.passed ? 'ok' : 'MISSED';
}
