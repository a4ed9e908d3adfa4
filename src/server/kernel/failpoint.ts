/**
 * Named points at which a test kills the process with -9 (`FAILPOINT=purchase.held:1` dies at the first pass), or stops
 * it as a machine that sleeps would (`FAILPOINT=purchase.held:1:stop`, until SIGCONT), or at which a simulation breaks
 * off the work in progress. Without either this is one comparison. Production configuration refuses the variable.
 */
type Interrupt = (name: string) => void;

let interrupt: Interrupt | null = fromEnvironment(process.env.FAILPOINT);

export function failpoint(name: string): void {
  interrupt?.(name);
}

/** For simulations: what happens at each point; null for nothing. */
export function onFailpoint(handler: Interrupt | null): void {
  interrupt = handler;
}

function fromEnvironment(setting: string | undefined): Interrupt | null {
  if (!setting) return null;
  const [wanted, pass = '1', how = 'kill'] = setting.split(':');
  const signal = how === 'stop' ? 'SIGSTOP' : 'SIGKILL';
  let passes = 0;
  return (name) => {
    if (name !== wanted) return;
    passes += 1;
    if (passes === Number(pass)) process.kill(process.pid, signal);
  };
}
