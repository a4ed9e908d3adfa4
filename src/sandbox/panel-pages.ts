import type { StoredMessage } from './mail/messages.ts';
import type { PanelTable, SandboxPart } from './part.ts';
import { type Html, html } from './web.ts';

export const PANEL_STYLE = `
:root {
  color-scheme: light dark;
  --page: light-dark(#f4f6f8, #14171c);
  --card: light-dark(#ffffff, #1e232b);
  --ink: light-dark(#1b2430, #e7ebf0);
  --soft: light-dark(#546072, #a3afbf);
  --line: light-dark(#d5dbe3, #39424f);
  --accent: light-dark(#1d5fbf, #8ab8ff);
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 0.9375rem/1.5 system-ui, sans-serif; }
header, main { max-width: 90rem; margin: 0 auto; padding: 1rem 1.5rem; }
header { display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; align-items: baseline; }
header p { margin: 0; color: var(--soft); }
h1 { margin: 0; font-size: 1.375rem; }
h2 { margin: 1.5rem 0 0.5rem; font-size: 1.125rem; }
h3, .card h2 { margin: 0; padding: 0.625rem 0.75rem; font-size: 0.9375rem; }
nav ul { display: flex; flex-wrap: wrap; gap: 1rem; margin: 0; padding: 0; list-style: none; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.card { margin: 0 0 1rem; border: 1px solid var(--line); border-radius: 0.5rem; background: var(--card); overflow-x: auto; }
.empty { margin: 0; padding: 0 0.75rem 0.75rem; color: var(--soft); }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 0.375rem 0.75rem; border-top: 1px solid var(--line); text-align: left; vertical-align: top; }
th { color: var(--soft); font-weight: 600; white-space: nowrap; }
td { overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1rem; margin: 0; padding: 0.75rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
pre { margin: 0; padding: 0.75rem; white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; }
ul.links { margin: 0; padding: 0 0.75rem 0.75rem 2rem; }
iframe { display: block; width: 100%; height: 32rem; border: 0; background: #ffffff; color-scheme: light; }
`;

function page(title: string, head: Html | null, content: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${head}
<title>${title} · Sandbox</title>
<link rel="stylesheet" href="/style.css">
<link rel="icon" href="data:,">
</head>
<body>
${content}
</body>
</html>`.markup;
}

function table({ title, columns, rows }: PanelTable): Html {
  return html`<section class="card">
<h3>${title}</h3>
${
  rows.length === 0
    ? html`<p class="empty">Nothing yet.</p>`
    : html`<table>
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table>`
}
</section>`;
}

function mailbox(messages: readonly StoredMessage[]): Html {
  return html`<section class="card">
<h3>Messages</h3>
${
  messages.length === 0
    ? html`<p class="empty">Nothing yet.</p>`
    : html`<table>
<thead><tr><th scope="col">Received</th><th scope="col">To</th><th scope="col">Subject</th></tr></thead>
<tbody>${messages.map(
        (message) => html`<tr>
<td>${message.receivedAt}</td><td>${message.to}</td>
<td><a href="/mail/${message.id}">${message.subject || '(no subject)'}</a></td>
</tr>`,
      )}</tbody>
</table>`
}
</section>`;
}

export interface PanelSection {
  part: Pick<SandboxPart, 'name' | 'url'>;
  tables: PanelTable[];
}

/** What each stand-in holds right now; with a number of seconds it loads itself again. */
export function overviewPage(
  sections: readonly PanelSection[],
  messages: readonly StoredMessage[],
  now: string,
  refreshSeconds: number | null,
): string {
  const head = refreshSeconds === null ? null : html`<meta http-equiv="refresh" content="${refreshSeconds}">`;
  const toggle =
    refreshSeconds === null ? ['/?refresh=5', 'Refresh every 5 seconds'] : ['/', 'Stop refreshing'];
  return page(
    'Outside world',
    head,
    html`<header>
<h1>Sandbox: the outside world</h1>
<p>Its clock: ${now}</p>
<nav aria-label="Page"><ul>
${sections.map(({ part }) => html`<li><a href="#${part.name}">${part.name}</a></li>`)}
<li><a href="/">Refresh</a></li>
<li><a href="${toggle[0] ?? ''}">${toggle[1] ?? ''}</a></li>
</ul></nav>
</header>
<main>
${sections.map(
  ({ part, tables }) => html`<h2 id="${part.name}">${part.name} <small>${part.url}</small></h2>
${part.name === 'mail' ? mailbox(messages) : tables.map(table)}`,
)}
</main>`,
  );
}

/** One message, its markup in a frame that may do nothing. */
export function messagePage(message: StoredMessage): string {
  return page(
    message.subject || 'Message',
    null,
    html`<header><h1>${message.subject || '(no subject)'}</h1><nav aria-label="Page"><ul><li><a href="/#mail">Back to all messages</a></li></ul></nav></header>
<main>
<section class="card"><dl>
<dt>To</dt><dd>${message.to}</dd>
<dt>From</dt><dd>${message.from}</dd>
<dt>Received</dt><dd>${message.receivedAt}</dd>
<dt>Message id</dt><dd>${message.messageId}</dd>
<dt>Arrived</dt><dd>${message.deliveries}×</dd>
</dl></section>
<section class="card"><h2>Text</h2><pre>${message.text}</pre></section>
<section class="card"><h2>Links</h2>
${
  message.links.length === 0
    ? html`<p class="empty">None.</p>`
    : html`<ul class="links">${message.links.map((link) => html`<li><a href="${link}" rel="noreferrer">${link}</a></li>`)}</ul>`
}
</section>
${
  message.html === null
    ? null
    : html`<section class="card"><h2>As shown</h2><iframe sandbox title="The message as shown" srcdoc="${message.html}"></iframe></section>`
}
</main>`,
  );
}
