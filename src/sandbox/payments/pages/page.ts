import type { Params } from '../form.ts';
import type { World } from '../world.ts';

export interface PageCall {
  world: World;
  method: 'GET' | 'POST';
  path: Record<string, string>;
  query: Params;
  form: Params;
}

export type PageReply = { status: number; html: string } | { redirect: string };

export interface Page {
  pattern: string;
  handle(call: PageCall): PageReply;
}

function escapeHtml(text: string): string {
  const names: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (char) => names[char] ?? char);
}

/** HTML that is safe as it stands; every other value in `html` is escaped. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export function html(
  parts: TemplateStringsArray,
  ...values: (string | number | Html | Html[] | null)[]
): Html {
  const filled = values.map((value) => {
    if (value === null) return '';
    if (Array.isArray(value)) return value.map((item) => item.text).join('');
    return value instanceof Html ? value.text : escapeHtml(String(value));
  });
  return new Html(parts.map((part, index) => part + (filled[index] ?? '')).join(''));
}

export function page(
  title: string,
  body: Html,
  options: { status?: number; script?: string } = {},
): PageReply {
  const script = options.script ? html`<script src="${options.script}" defer></script>` : null;
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/browser/page.css">
${script}
</head>
<body>
<p class="banner">Sandbox payment provider – no real money</p>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>`;
  return { status: options.status ?? 200, html: document.text };
}

export interface Field {
  name: string;
  label: string;
  value?: string | null;
  hint?: string;
  autocomplete?: string;
  inputmode?: 'numeric' | 'email' | 'tel' | 'text';
  optional?: boolean;
}

export function field(spec: Field): Html {
  const hint = spec.hint ? html`<span class="hint" id="${spec.name}-hint">${spec.hint}</span>` : null;
  const described = spec.hint ? html` aria-describedby="${spec.name}-hint"` : null;
  const required = spec.optional ? null : html` required`;
  return html`<label for="${spec.name}">${spec.label}</label>
<input id="${spec.name}" name="${spec.name}" value="${spec.value ?? ''}" inputmode="${spec.inputmode ?? 'text'}" autocomplete="${spec.autocomplete ?? 'off'}"${described}${required}>
${hint}`;
}

export function alertBox(message: string | null): Html | null {
  return message === null ? null : html`<p class="error" role="alert">${message}</p>`;
}

export function notFound(): PageReply {
  return page(
    'Page not found',
    html`<p>This address leads nowhere. Links work once and for a few minutes only.</p>`,
    {
      status: 404,
    },
  );
}
