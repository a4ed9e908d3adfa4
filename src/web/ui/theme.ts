import { createTheme, type MantineColorsTuple } from '@mantine/core';

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

export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 6, dark: 5 },
  colors: { accent, dark },
  autoContrast: true,
  luminanceThreshold: 0.35,
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  headings: { fontWeight: '650' },
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
});
