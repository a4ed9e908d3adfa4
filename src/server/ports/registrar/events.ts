import type { Fence } from '#kernel/fence.ts';

/** What the registrar tells by itself. */
export interface RegistrarEvents {
  /** Events since the last acknowledgement. */
  events(limit: number): Promise<RegistrarEvent[]>;
  acknowledgeEvent(id: string, fence: Fence): Promise<void>;
}

export interface RegistrarEvent {
  id: string;
  object: string;
  event: string;
  at: Date | null;
  domain: string | null;
  /** Of a deletion, where it says so: the end of the redemption. */
  restorableUntil: Date | null;
  data: Record<string, string>;
}
