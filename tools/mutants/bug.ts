import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Trial } from './planted.ts';

/** A bug that is planted on purpose, and the test that has to notice it. */
export interface Plant {
  /** Folder or file of the code; the text has to be found there exactly once, wherever it was moved to. */
  in: string;
  from: string;
  to: string;
  /** The test file that turns red. */
  test: string;
  /** Titles of tests, each of which has to turn red; without it one test of the file. */
  only?: string;
  /** Of a file: which of its lines `from` is, counted from 0. */
  line?: number;
}

const root = join(import.meta.dirname, '../..');

/** The one file in which a plant's text is found, with the bug in it. Throws where it is not found, or twice. */
export function bugOf(plant: Plant): NonNullable<Trial['bug']> {
  if (plant.line !== undefined) return bugInLine(plant, plant.line);
  const found = filesIn(plant.in)
    .map((file) => ({ file, parts: readFileSync(file, 'utf8').split(plant.from) }))
    .filter(({ parts }) => parts.length > 1);
  const [one] = found;
  if (!one || found.length > 1 || one.parts.length > 2) {
    const times = found.reduce((sum, { parts }) => sum + parts.length - 1, 0);
    throw new Error(`found ${times} times in ${plant.in} instead of once: ${plant.from}`);
  }
  return { file: one.file, text: one.parts.join(plant.to) };
}

function bugInLine({ in: name, to }: Plant, at: number) {
  const file = join(root, name);
  const lines = readFileSync(file, 'utf8').split('\n');
  return { file, text: lines.with(at, to).join('\n') };
}

function filesIn(place: string): string[] {
  if (/\.tsx?$/.test(place)) return [join(root, place)];
  return readdirSync(join(root, place), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
    .map((name) => join(root, place, name));
}
