import { createTheme, type MantineColorsTuple, type VariantColorsResolver } from '@mantine/core';
import { holdFocus } from './hold-focus.ts';

/** What a colour of the theme is made of; the names are those of `tokens.css`, which know light and dark. */
interface Tone {
  solid: string;
  solidHover: string;
  onSolid: string;
  soft: string;
  text: string;
}

function tone(name: string): Tone {
  return {
    solid: `var(--${name})`,
    solidHover: `color-mix(in srgb, var(--${name}) 88%, var(--text-1))`,
    onSolid: 'var(--surface)',
    soft: `var(--${name}-soft)`,
    text: `var(--${name})`,
  };
}

const accent: Tone = { ...tone('accent'), solidHover: 'var(--accent-hover)', onSolid: 'var(--on-accent)' };
const good = tone('good');
const warn = tone('warn');
const info = tone('info');
const bad: Tone = {
  ...tone('bad'),
  ...{ solid: 'var(--bad-strong)', solidHover: 'var(--bad-strong-hover)', onSolid: 'var(--on-bad)' },
};
const quiet: Tone = {
  ...{ solid: 'var(--text-2)', solidHover: 'var(--text-1)', onSolid: 'var(--surface)' },
  ...{ soft: 'var(--hover)', text: 'var(--text-2)' },
};

/** One accent for what can be pressed; green, amber, red and blue for states alone. */
const tones = {
  accent,
  teal: good,
  green: good,
  yellow: warn,
  orange: warn,
  red: bad,
  blue: info,
  gray: quiet,
};

/** The library asks for ten shades; ours has a soft ground and one strength of each colour. */
function shades({ soft, solid }: Tone): MantineColorsTuple {
  return [soft, soft, soft, soft, soft, solid, solid, solid, solid, solid];
}

/** How a button, a chip or a note is drawn in a colour. */
const variantColorResolver: VariantColorsResolver = ({ color, variant }) => {
  const { solid, solidHover, onSolid, soft, text } =
    tones[(color ?? 'accent') as keyof typeof tones] ?? accent;
  const none = '1px solid transparent';
  switch (variant) {
    case 'filled':
      return { background: solid, hover: solidHover, color: onSolid, border: none };
    case 'light':
      return { background: soft, hover: soft, color: text, border: none };
    case 'outline':
      return { background: 'transparent', hover: 'var(--hover)', color: text, border: `1px solid ${text}` };
    case 'subtle':
      return { background: 'transparent', hover: 'var(--hover)', color: text, border: none };
    case 'transparent':
      return { background: 'transparent', hover: 'transparent', color: text, border: none };
    default:
      return {
        ...{ background: 'var(--surface)', hover: 'var(--hover)', color: 'var(--text-1)' },
        border: '1px solid var(--line-strong)',
      };
  }
};

const leastForLines = 80;
/** Of a choice among many, as many as anybody scrolls through are drawn; the others are found by typing (decision 98). */
export const mostOptions = 300;

export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 6, dark: 6 },
  colors: Object.fromEntries(Object.entries(tones).map(([name, tone]) => [name, shades(tone)])),
  variantColorResolver,
  components: {
    Button: { defaultProps: { onMouseDown: holdFocus } },
    // Specified texts stay to the letter, in capitals or not.
    Badge: { defaultProps: { tt: 'none', radius: 'xl', fw: 540, variant: 'light' } },
    Paper: { defaultProps: { radius: 'lg' } },
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' }, radius: 'lg' } },
    Select: { defaultProps: { limit: mostOptions } },
    // What stands for more than two lines is drawn as lines.
    Skeleton: {
      classNames: (_theme: unknown, { height }: { height?: unknown }) => ({
        root: typeof height === 'number' && height >= leastForLines ? 'lines' : undefined,
      }),
    },
    // A dialog's head is not the page's.
    ModalHeader: { defaultProps: { role: 'presentation' } },
  },
  defaultRadius: 'md',
  radius: { xs: '4px', sm: 'var(--r1)', md: 'var(--r2)', lg: 'var(--r3)', xl: 'var(--r-round)' },
  spacing: { xs: 'var(--s2)', sm: 'var(--s3)', md: 'var(--s4)', lg: 'var(--s6)', xl: 'var(--s8)' },
  shadows: {
    xs: 'var(--shadow-1)',
    sm: 'var(--shadow-1)',
    md: 'var(--shadow-2)',
    lg: 'var(--shadow-2)',
    xl: 'var(--shadow-2)',
  },
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'var(--mono)',
  fontSizes: {
    xs: 'var(--size-small)',
    sm: 'var(--size-text)',
    md: 'var(--size-text)',
    lg: 'var(--size-lead)',
    xl: 'var(--size-lead-2)',
  },
  lineHeights: { xs: '1.34', sm: '1.48', md: '1.5', lg: '1.5', xl: '1.5' },
  headings: {
    fontWeight: '620',
    sizes: {
      h1: { fontSize: 'var(--size-title)', lineHeight: '1.75rem', fontWeight: '640' },
      h2: { fontSize: 'var(--size-lead-2)', lineHeight: '1.5rem' },
      h3: { fontSize: 'var(--size-lead)', lineHeight: '1.375rem' },
      h4: { fontSize: 'var(--size-lead)', lineHeight: '1.25rem', fontWeight: '600' },
      h5: { fontSize: 'var(--size-text)', lineHeight: '1.25rem', fontWeight: '600' },
      h6: { fontSize: 'var(--size-text)', lineHeight: '1.25rem', fontWeight: '600' },
    },
  },
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
});
