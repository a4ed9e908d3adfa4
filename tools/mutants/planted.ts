import type { ProvidedContext } from 'vitest';

/** The bug that is planted now, and the database it is tried on. */
export interface Trial {
  bug: { file: string; text: string } | null;
  provided: Partial<ProvidedContext>;
  /** Whether the first failure says enough. */
  bail: boolean;
  /** Whether its tests need a document. */
  dom: boolean;
}

/** Shared by way of the process: the configuration of Vitest is a module graph of its own. */
const place = globalThis as { trial?: Trial };

export function setTrial(trial: Trial): void {
  place.trial = trial;
}

export function presentTrial(): Trial {
  return place.trial ?? { bug: null, provided: {}, bail: true, dom: false };
}
