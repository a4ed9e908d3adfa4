import { keepText, readText } from './storage.ts';

export type Density = 'comfortable' | 'compact';

export const densityKept = (): Density =>
  readText('local', 'density') === 'compact' ? 'compact' : 'comfortable';

/** How high the rows of tables are: before anything is drawn, and when somebody chooses. */
export function setDensity(density: Density): void {
  keepText('local', 'density', density === 'compact' ? density : null);
  showDensity();
}

export function showDensity(): void {
  document.documentElement.dataset.density = densityKept();
}
