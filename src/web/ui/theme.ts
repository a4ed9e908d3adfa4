import { createTheme, type MantineColorsTuple } from '@mantine/core';
import { holdFocus } from './hold-focus.ts';

/** One accent on a neutral surface; status colours are for status alone. */
const accent: MantineColorsTuple = [
  '#edf2ff',
  '#dbe4fd',
  '#b5c7f8',
  '#8ca8f3',
  '#698df0',
  '#4f7aec',
  '#2a5bd7',
  '#2450c0',
  '#1c45ab',
  '#143a96',
];

/** Neutral greys with a trace of blue; 0 is text, 7 the ground of the dark theme. */
const dark: MantineColorsTuple = [
  '#e7e9ec',
  '#c5cad1',
  '#a3abb6',
  '#78818d',
  '#3d444e',
  '#2f353d',
  '#23272e',
  '#181b1f',
  '#121417',
  '#0c0e10',
];

/** Red for what cannot be undone: white on 6 has 5.4 : 1. */
const red: MantineColorsTuple = [
  '#fff0ee',
  '#fdd9d5',
  '#f9b1aa',
  '#f6877c',
  '#f36355',
  '#e8483a',
  '#c92a2a',
  '#b42318',
  '#9c1f15',
  '#831a11',
];

export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 6, dark: 6 },
  colors: { accent, dark, red },
  components: {
    Button: { defaultProps: { onMouseDown: holdFocus } },
    // Specified texts stand to the letter, in capitals or not.
    Badge: { defaultProps: { tt: 'none', radius: 'sm', fw: 600 } },
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    // Ten thousand customers in one list take seconds to draw; the others are found by typing (decision 98).
    Select: { defaultProps: { limit: 300 } },
    // A dialog's head is not the page's.
    ModalHeader: { defaultProps: { role: 'presentation' } },
  },
  autoContrast: true,
  luminanceThreshold: 0.35,
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  headings: { fontWeight: '650' },
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
});
