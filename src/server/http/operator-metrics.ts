import { Gauge, Registry } from 'prom-client';

/** Figures by name, each with what it counts; asked for whenever somebody reads `/metrics`. */
export interface FigureSource {
  help: Readonly<Record<string, string>>;
  read(): Promise<Record<string, number | null>>;
}

/** A registry with the operator's figures in it, for alarms. What is not known (null) shows as NaN. */
export function registryWith(source: FigureSource): Registry {
  const registry = new Registry();
  let asked: Promise<Record<string, number | null>> | null = null;
  // One question for all figures of one reading.
  const read = () => {
    asked ??= source.read().finally(() => {
      asked = null;
    });
    return asked;
  };
  for (const [name, help] of Object.entries(source.help)) {
    new Gauge({
      name: `nameward_${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`,
      help,
      registers: [registry],
      async collect() {
        this.set((await read())[name] ?? Number.NaN);
      },
    });
  }
  return registry;
}
