import type { Fence } from '../../src/server/kernel/fence.ts';
import type { Mail, MailMessage } from '../../src/server/ports/mail.ts';
import { tooLate, UpstreamUnavailable } from '../../src/server/ports/outcome.ts';
import type { Registrar } from '../../src/server/ports/registrar.ts';
import { SimulatedRegistrar } from '../faults/simulated-registrar.ts';
import { between } from './random.ts';
import { type Process, Schedule } from './schedule.ts';

/** How often somebody renews a name past the portal, each time that the registrar is looked after. */
const elsewhereRate = 0.05;

/** The network and those who answer on it. They go on when a process of ours dies. */
export class Outside {
  readonly process: Process = { name: 'outside', isDead: false, connections: new Set() };
  readonly registrar: SimulatedRegistrar;
  readonly mail: MailMessage[] = [];
  /** What the portal asked of a port that is not simulated. */
  readonly unknown = new Set<string>();
  mailFails = 0;
  readonly schedule: Schedule;

  constructor(schedule: Schedule) {
    this.schedule = schedule;
    this.registrar = new SimulatedRegistrar(schedule.random, () => Math.floor(schedule.nowMs));
  }

  /** A request on its way, answered outside, and the answer on its way back. */
  async call<T>(answer: () => Promise<T> | T): Promise<T> {
    const { random } = this.schedule;
    await this.schedule.sleep(between(5, 400, random));
    const result = await Schedule.start(this.process, async () => answer());
    await this.schedule.sleep(between(5, 400, random));
    return result;
  }

  registrarPort(): Registrar {
    const simulated = this.registrar.asPort() as unknown as Record<
      string,
      (...given: unknown[]) => Promise<unknown>
    >;
    return this.#port('registrar', simulated, async (answer, fence) => {
      if (fence && (await fence.holdsForMs()) <= 0) return { kind: 'busy', code: tooLate, text: 'too late' };
      return answer();
    }) as Registrar;
  }

  mailPort(): Mail {
    return {
      send: (message) =>
        this.call(() => {
          const { random } = this.schedule;
          const fails = random() < this.mailFails;
          if (!fails || random() < 0.5) this.mail.push(message);
          if (fails) throw new Error('the mail server did not answer');
        }),
    };
  }

  /** A port that is not simulated: asked, it does not answer. */
  missing(name: string): object {
    return this.#port(name, {}, (answer) => answer());
  }

  /** Each method of a port behind the network. `act` decides whether a call that changes something goes out. */
  #port(
    name: string,
    simulated: Record<string, (...given: unknown[]) => Promise<unknown>>,
    act: (answer: () => Promise<unknown>, fence: Fence | null) => Promise<unknown>,
  ): object {
    return new Proxy(simulated, {
      get: (port, method: string) => {
        const plain = port[method];
        if (method === 'then') return undefined;
        return async (...given: unknown[]) => {
          if (!plain) {
            this.unknown.add(`${name}.${method}`);
            throw new UpstreamUnavailable(`${method} is not simulated`);
          }
          const fence = given.find(isFence) ?? null;
          return act(() => this.call(() => plain(...given)), fence);
        };
      },
    });
  }

  /** Time passes there, too. */
  async live(): Promise<void> {
    for (;;) {
      await this.schedule.sleep(between(5_000, 20_000, this.schedule.random));
      this.registrar.settle();
      if (this.schedule.random() < elsewhereRate) this.registrar.renewElsewhere();
    }
  }
}

function isFence(value: unknown): value is Fence {
  return typeof value === 'object' && value !== null && 'holdsForMs' in value;
}
