import './lib/no-eval.ts';
import './ui/styles.ts';
import { askAhead } from './lib/provider.ts';

await askAhead();
await import('./app.tsx');
