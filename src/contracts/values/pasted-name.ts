/** Names as people paste them: a web address, a dot at the end, letters of any language. */

/** The form that the DNS has of a name (UTS 46), as browsers make it; the text itself where there is none. */
export function asciiName(name: string): string {
  if (!/[^ -~]/.test(name) || /[/?#@:\\\s%[\]]/.test(name)) return name;
  try {
    return new URL(`http://${name}/`).hostname;
  } catch {
    return name;
  }
}

/** The host of what was typed or pasted; `.` stays, for the records that may say it. */
export function pastedName(typed: string): string {
  const text = typed.trim().toLowerCase();
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//.exec(text)?.[0] ?? '';
  const host = text.slice(scheme.length).split(/[/?#]/, 1)[0] ?? '';
  const name = scheme ? host.replace(/:\d{1,5}$/, '') : host;
  return name === '.' ? name : asciiName(name).replace(/\.$/, '');
}
