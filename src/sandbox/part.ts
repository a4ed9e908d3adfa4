/** What every stand-in of the sandbox offers to the process that runs it and to the panel page. */

/** One table on the panel page: what this stand-in holds right now. */
export interface PanelTable {
  title: string;
  columns: string[];
  rows: string[][];
}

/** A request to the control plane (`/control/<part>/<route>`): scripting faults, the outside world, the clock. */
export type ControlHandler = (body: unknown) => unknown | Promise<unknown>;

export interface SandboxPart {
  /** `registrar`, `payments`, `identity`, `mail`, `dns` */
  name: string;
  /** Where it listens, e.g. `http://127.0.0.1:4301` */
  url: string;
  /** Control plane by route name. Each takes and returns JSON; an Error's message becomes a 400. */
  control: Record<string, ControlHandler>;
  /** Tables for the panel page. Secrets are left out. */
  view(): PanelTable[] | Promise<PanelTable[]>;
  close(): Promise<void>;
}

export interface ListenOptions {
  host: string;
  /** 0 picks a free port. */
  port: number;
}
