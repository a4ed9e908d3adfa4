/**
 * Named points at which a test kills the process with -9 (`FAILPOINT=purchase.held:1` dies at the first pass), or stops
 * it as a machine that sleeps would (`FAILPOINT=purchase.held:1:stop`, until SIGCONT), or at which a simulation breaks
 * off the work in progress. A point on the wire counts only calls to one path with `FAILPOINT=wire.asking@/v1/refunds:1`.
 * Without either this is one comparison. Production configuration refuses the variable.
 */
type Interrupt = (name: string, path: string) => void;

let interrupt: Interrupt | null = fromEnvironment(process.env.FAILPOINT);

export function failpoint(name: string, path = ''): void {
  interrupt?.(name, path);
}

/** For simulations: what happens at each point; null for nothing. */
export function onFailpoint(handler: Interrupt | null): void {
  interrupt = handler;
}

function fromEnvironment(setting: string | undefined): Interrupt | null {
  if (!setting) return null;
  const [place, pass = '1', how = 'kill'] = setting.split(':');
  const [wanted, onlyPath] = (place ?? '').split('@');
  const signal = how === 'stop' ? 'SIGSTOP' : 'SIGKILL';
  let passes = 0;
  return (name, path) => {
    if (name !== wanted || (onlyPath !== undefined && path !== onlyPath)) return;
    passes += 1;
    if (passes === Number(pass)) process.kill(process.pid, signal);
  };
}
