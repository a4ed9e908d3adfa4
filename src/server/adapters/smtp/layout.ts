import type { Letter } from '#kernel/letters.ts';
import type { MailMessage } from '../../ports/mail.ts';

/** The colours of the product (src/web/ui/tokens.css) as mail programs can read them; a test holds them equal. */
export const lightColours = {
  canvas: '#f6f7f9',
  surface: '#ffffff',
  line: '#e4e7ec',
  'text-1': '#12151c',
  'text-2': '#4b5362',
  'text-3': '#666e7d',
  accent: '#3347d6',
  'on-accent': '#ffffff',
} as const;
export const darkColours = {
  canvas: '#0d0f14',
  surface: '#14171e',
  line: '#262b36',
  'text-1': '#eceef3',
  'text-2': '#b0b7c4',
  'text-3': '#949cab',
  accent: '#8b9bff',
  'on-accent': '#0d0f14',
} as const;

type Message = Omit<MailMessage, 'to' | 'messageId'>;
/** The content id under which a logo goes with the mail. */
export const logoId = 'logo@nameward';

/** The plain text of a letter: what the HTML part says, with the address of the button in full. */
export function textOf({ letter, ...from }: Message, productName: string): string {
  const parts = letter.parts.map((part) =>
    typeof part === 'string'
      ? part
      : part.rows.map((cells) => `  ${cells.filter(Boolean).join('  ')}`).join('\n'),
  );
  const { button, note } = letter;
  return [
    ...parts,
    ...(button ? [`${button.text}:\n${button.address}`] : []),
    ...(note ? [note] : []),
    footerOf(from, productName),
  ].join('\n\n');
}

/** The HTML of a letter: tables and inline styles, which all mail programs know; the dark colours are a style sheet. */
export function htmlOf({ letter, ...from }: Message, productName: string): string {
  const c = lightColours;
  const { button, note } = letter;
  const body = [
    ...letter.parts.map(partHtml),
    ...(button ? [buttonHtml(button)] : []),
    ...(note
      ? [`<p class="t3" style="margin:0;color:${c['text-3']};font-size:13px">${inline(note)}</p>`]
      : []),
  ].join('\n');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<title>${escaped(letter.subject)}</title>
<style>${styleSheet}</style></head>
<body class="canvas" style="margin:0;padding:0;background:${c.canvas};color:${c['text-1']};font:15px/1.55 ${fonts};-webkit-text-size-adjust:100%">
<table role="presentation" class="canvas" width="100%" cellpadding="0" cellspacing="0" style="background:${c.canvas}"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:600px">
<tr><td style="padding:0 4px 16px">${headHtml(from, productName)}</td></tr>
<tr><td class="surface" style="background:${c.surface};border:1px solid ${c.line};border-radius:12px;padding:28px 24px">
<h1 style="margin:0 0 16px;font-size:20px;line-height:1.35;font-weight:600;overflow-wrap:anywhere">${escaped(letter.subject)}</h1>
${body}
</td></tr>
<tr><td class="t3" style="padding:16px 4px 0;color:${c['text-3']};font-size:12px">${escaped(footerOf(from, productName))}</td></tr>
</table></td></tr></table>
</body></html>`;
}

const fonts = "Inter,system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif";

const styleSheet = ((d) =>
  `:root{color-scheme:light dark}@media (prefers-color-scheme:dark){
.canvas{background:${d.canvas}!important;color:${d['text-1']}!important}
.surface{background:${d.surface}!important;border-color:${d.line}!important}
.t2{color:${d['text-2']}!important}.t3{color:${d['text-3']}!important}.link{color:${d.accent}!important}
.cell{border-color:${d.line}!important}
.button{background:${d.accent}!important}.button a{color:${d['on-accent']}!important}}`)(darkColours);

type From = Omit<Message, 'letter'>;

function headHtml({ brand }: From, productName: string): string {
  const name = escaped(brand?.name ?? productName);
  const label = `<span style="font-size:15px;font-weight:600">${name}</span>`;
  if (!brand?.logo) return label;
  // On white in the dark as well: most logos are drawn for paper.
  return `<img src="cid:${logoId}" alt="" height="36" style="height:36px;max-width:180px;background:#ffffff;border-radius:6px;padding:4px;vertical-align:middle;margin-right:12px">${label}`;
}

function partHtml(part: Letter['parts'][number]): string {
  const c = lightColours;
  if (typeof part === 'string')
    return `<p style="margin:0 0 16px;overflow-wrap:anywhere">${inline(part)}</p>`;
  const rows = part.rows.map((cells) => {
    const [first = '', ...others] = cells.filter(Boolean);
    const more = others
      .map(
        (text) => `<br><span class="t2" style="color:${c['text-2']};font-size:13px">${inline(text)}</span>`,
      )
      .join('');
    return `<tr><td class="cell" style="padding:8px 0;border-top:1px solid ${c.line};overflow-wrap:anywhere;word-break:break-word"><strong style="font-weight:600">${inline(first)}</strong>${more}</td></tr>`;
  });
  return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="margin:0 0 16px;table-layout:fixed">${rows.join('')}</table>`;
}

function buttonHtml({ text, address }: NonNullable<Letter['button']>): string {
  const c = lightColours;
  return `<table role="presentation" cellpadding="0" cellspacing="0" style="margin:8px 0 16px"><tr><td class="button" style="background:${c.accent};border-radius:8px"><a href="${escaped(address)}" style="display:inline-block;padding:11px 20px;color:${c['on-accent']};font-weight:600;text-decoration:none">${escaped(text)}</a></td></tr></table>
<p class="t3" style="margin:0 0 16px;color:${c['text-3']};font-size:12px;overflow-wrap:anywhere">${escaped(address)}</p>`;
}

/** Who sends it, and for whom. */
function footerOf({ brand, inItsName }: From, productName: string): string {
  if (!brand) return productName;
  return inItsName ? brand.name : `Sent by ${productName} for ${brand.name}.`;
}

function inline(text: string): string {
  return escaped(text).replace(/\r?\n/g, '<br>');
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
