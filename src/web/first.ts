import './ui/first-styles.ts';
import { noteOpening } from './lib/data-ahead.ts';
import { loadMemberFiles } from './lib/member-files.ts';
import { askAhead, untilQuestionLeaves } from './lib/provider.ts';
import { showFirstLook, showNotLoaded } from './shell/first-look.ts';
import { afterPaint } from './ui/after-paint.ts';

// The question leaves first (docs/decisions/0296).
askAhead();
noteOpening();
showFirstLook();
// The typeface, where the browser has it, comes with the second paint. Then the app takes the processor for a while.
afterPaint(() => {
  loadMemberFiles();
  void untilQuestionLeaves()
    .then(() => import('./main.tsx'))
    .catch(showNotLoaded);
}, 2);
