import type { Letter } from '#kernel/letters.ts';

/** The organization whose name, and logo if it has one, a mail bears. */
export interface MailBrand {
  name: string;
  /** A PNG that goes with the mail: mail programs load nothing from outside. */
  logo: Buffer | null;
}

export interface MailMessage {
  to: string;
  letter: Letter;
  /** Absent: the portal writes to its operator. */
  brand?: MailBrand;
  /** The brand is the sender's name too, and the portal is not named: the organization writes to its own customer. */
  inItsName?: boolean;
  /** Same id, same message: a retry after an unclear send is told apart by the receiver's server. */
  messageId: string;
}

/** Sends mail. Throws when the server did not take the message; callers are jobs, which try again. */
export interface Mail {
  send(message: MailMessage): Promise<void>;
}
