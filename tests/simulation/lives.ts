import { fork } from 'node:child_process';
import type { TestCluster } from '../support/cluster.ts';
import type { LifeResult } from './life.ts';

/** A process in which lives are lived one after the other: the clock of the whole process is the simulation's. */
export interface Lives extends AsyncDisposable {
  /** Of a seed; with a planted bug, by its name. */
  live(seed: number, bug?: string): Promise<LifeResult>;
}

export type Given = { seed: number; bug?: string | undefined } | 'end';

/** The cluster must have the template of `prepareTemplate`. */
export function openLives(cluster: TestCluster): Lives {
  const { url, passwords } = cluster;
  const child = fork(`${import.meta.dirname}/child.ts`, {
    env: { ...process.env, SIMULATED_CLUSTER: JSON.stringify({ url, passwords }) },
    execArgv: [],
    serialization: 'advanced',
  });
  const ended = new Promise<never>((_, reject) => {
    child.once('exit', (code) => reject(new Error(`the process of lives ended with ${code}`)));
  });
  ended.catch(() => undefined);
  const say = (given: Given) => child.send(given);
  return {
    live(seed, bug) {
      const lived = new Promise<LifeResult>((resolve) =>
        child.once('message', (said) => resolve(said as LifeResult)),
      );
      say({ seed, bug });
      return Promise.race([lived, ended]);
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return;
      say('end');
      await ended.catch(() => undefined);
    },
  };
}
