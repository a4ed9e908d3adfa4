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

export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 6, dark: 5 },
  colors: { accent },
  autoContrast: true,
  luminanceThreshold: 0.35,
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  headings: { fontWeight: '650' },
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
});
