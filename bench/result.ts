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
