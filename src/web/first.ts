import './ui/first-styles.ts';
import { noteOpening } from './lib/data-ahead.ts';
import { askAhead, untilQuestionLeaves } from './lib/provider.ts';
import { showFirstLook, showNotLoaded } from './shell/first-look.ts';

/** Longer than a paint takes to come: it may never come. */
const longestPaintMs = 1_000;

/**
 * Once what was drawn can be seen: then the app takes the processor for a while. The typeface, where the browser has it, comes with the
 * second paint. A window that nobody looks at paints nothing.
 */
function afterPaint(go: () => Promise<void>): void {
  let isGone = false;
  const once = () => {
    if (!isGone) void go();
    isGone = true;
  };
  if (document.hidden) once();
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(once)));
  setTimeout(once, longestPaintMs);
}

// The question leaves first (docs/decisions/0296).
askAhead();
noteOpening();
showFirstLook();
afterPaint(async () => {
  await untilQuestionLeaves();
  await import('./main.tsx').catch(showNotLoaded);
});
