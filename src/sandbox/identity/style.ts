/** Served as a file of its own, so that the pages need no inline style. Colours keep a contrast of 4.5 to 1 or more. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: light-dark(#eef1f5, #14171c);
  --card: light-dark(#ffffff, #1e232b);
  --ink: light-dark(#1b2430, #e7ebf0);
  --soft: light-dark(#546072, #a3afbf);
  --line: light-dark(#8a94a3, #6b7686);
  --accent: light-dark(#1d5fbf, #8ab8ff);
  --on-accent: light-dark(#ffffff, #10233d);
  --bad: light-dark(#b3261e, #ffb4ab);
  --bad-back: light-dark(#fdecea, #42201d);
  --good-back: light-dark(#e6f4ea, #16331f);
}
* { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem 1rem;
  background: var(--page); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif;
}
main {
  width: 100%; max-width: 26rem; padding: 2rem; border-radius: 0.75rem; background: var(--card);
  box-shadow: 0 1px 2px rgb(0 0 0 / 0.12), 0 8px 28px rgb(0 0 0 / 0.1);
}
.product { margin: 0 0 1.25rem; color: var(--soft); font-size: 0.875rem; font-weight: 600; }
.product::before {
  content: ''; display: inline-block; width: 0.75rem; height: 0.75rem; margin-right: 0.5rem; border-radius: 50%;
  background: var(--accent);
}
h1 { margin: 0 0 0.5rem; font-size: 1.5rem; line-height: 1.25; }
p { margin: 0 0 1rem; overflow-wrap: anywhere; }
form { margin: 1.25rem 0 0; }
label { display: block; margin-bottom: 0.25rem; font-weight: 600; }
.field { margin-bottom: 1rem; }
.hint { margin: 0.25rem 0 0; color: var(--soft); font-size: 0.875rem; }
.wrong { margin: 0.25rem 0 0; color: var(--bad); font-size: 0.875rem; }
input {
  width: 100%; padding: 0.625rem 0.75rem; border: 1px solid var(--line); border-radius: 0.5rem;
  background: transparent; color: inherit; font: inherit;
}
input[aria-invalid='true'] { border-color: var(--bad); }
button, .button {
  display: block; width: 100%; padding: 0.6875rem 1rem; border: 1px solid transparent; border-radius: 0.5rem;
  background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; text-align: center;
  text-decoration: none; cursor: pointer;
}
button + button { margin-top: 0.75rem; }
button.second { border-color: var(--line); background: transparent; color: var(--ink); }
a { color: var(--accent); }
a.button { color: var(--on-accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.note, .alert { margin: 0 0 1rem; padding: 0.75rem 1rem; border-radius: 0.5rem; }
.alert { background: var(--bad-back); color: var(--ink); }
.note { background: var(--good-back); color: var(--ink); }
.links { margin: 1.25rem 0 0; color: var(--soft); }
.links a { white-space: nowrap; }
`;
