import './ui/first-styles.ts';
import { noteOpening } from './lib/data-ahead.ts';
import { loadMemberFiles } from './lib/member-files.ts';
import { askAhead, untilQuestionLeaves } from './lib/provider.ts';
import { showFirstLook, showNotLoaded } from './shell/first-look.ts';
import { afterPaint } from './ui/after-paint.ts';

/** This file came over the network: the browser has none of the app's, as after an update. */
const isCold = performance
  .getEntriesByName(import.meta.url)
  .some((entry) => (entry as PerformanceResourceTiming).transferSize !== 0);

// The question leaves first (docs/decisions/0296). On an empty cache the files take longest, so something to read comes first.
if (!isCold) askAhead();
noteOpening();
showFirstLook();
// The typeface, where the browser has it, comes with the second paint. Then the app takes the processor for a while.
afterPaint(() => {
  if (isCold) askAhead();
  loadMemberFiles();
  void untilQuestionLeaves()
    .then(() => import('./main.tsx'))
    .catch(showNotLoaded);
}, 2);
