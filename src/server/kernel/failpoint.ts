/**
 * Named points at which a test kills the process with -9 (`FAILPOINT=purchase.held:1` dies at the first pass).
 * Without the variable this is one comparison. Production configuration refuses it.
 */
const wanted = process.env.FAILPOINT?.split(':');
let passes = 0;

export function failpoint(name: string): void {
  if (wanted === undefined || wanted[0] !== name) return;
  passes += 1;
  if (passes === Number(wanted[1] ?? 1)) process.kill(process.pid, 'SIGKILL');
}
