import { askAhead } from './provider.ts';

askAhead();
