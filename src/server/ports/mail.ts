export interface MailMessage {
  to: string;
  /** Whose name the message bears; absent: the operator's. */
  fromName?: string;
  subject: string;
  /** Plain text; the HTML part is made from it by the adapter's template. */
  text: string;
  /** Same id, same message: a retry after an unclear send is told apart by the receiver's server. */
  messageId: string;
}

/** Sends mail. Throws when the server did not take the message; callers are jobs, which try again. */
export interface Mail {
  send(message: MailMessage): Promise<void>;
}
