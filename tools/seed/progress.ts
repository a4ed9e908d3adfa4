/** Tells what the seed is doing and how far it is: a line that counts on a terminal, and a line each step elsewhere. */
export interface Progress {
  /** A part of the work begins; the one before it is done. */
  step(title: string): void;
  /** How far the present part is. */
  at(done: number, all: number, what: string): void;
  end(): void;
}

export function createProgress(steps: number, out: NodeJS.WriteStream = process.stdout): Progress {
  const beganAt = Date.now();
  let number = 0;
  let line = '';
  let shown = '';
  const seconds = () => `${Math.round((Date.now() - beganAt) / 1_000)} s`;
  const finish = () => {
    if (line === '') return;
    if (out.isTTY) out.write(`\r\u001b[K${shown || line}\n`);
    line = '';
    shown = '';
  };
  return {
    step(title) {
      finish();
      number += 1;
      line = `[${number}/${steps}] ${title}`;
      out.write(out.isTTY ? line : `${line} (${seconds()})\n`);
    },
    at(done, all, what) {
      shown = `${line}: ${done} of ${all} ${what}`;
      if (out.isTTY) out.write(`\r\u001b[K${shown}`);
      else out.write(`      ${done} of ${all} ${what} (${seconds()})\n`);
    },
    end() {
      finish();
      out.write(`Done in ${seconds()}.\n`);
    },
  };
}
