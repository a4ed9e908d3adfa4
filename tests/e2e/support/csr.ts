import { execFileSync } from 'node:child_process';

/** A signing request for a name; its key goes nowhere. */
export function csrOf(name: string): string {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', '/dev/null'];
  return execFileSync('openssl', ['req', '-new', ...key, '-subj', `/CN=${name}`], {
    stdio: 'pipe',
  }).toString();
}
