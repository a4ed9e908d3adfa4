import type { Answer, Intent, PaymentError } from './protocol.ts';

export interface Client {
  origin: string;
  publishableKey: string;
  account: string | null;
}

const UNREACHABLE: PaymentError = {
  type: 'api_connection_error',
  message: 'We could not reach the payment provider. Please check your connection and try again.',
};

interface Reply {
  error?: PaymentError;
  object?: string;
}

/** One call with the publishable key. A refusal is an answer, never an exception. */
export async function call<T>(
  client: Client,
  method: 'GET' | 'POST',
  path: string,
  fields: Record<string, string>,
): Promise<{ value: T } | { error: PaymentError }> {
  const form = new URLSearchParams({ ...fields, key: client.publishableKey });
  const headers: Record<string, string> = client.account ? { 'stripe-account': client.account } : {};
  const url = `${client.origin}${path}${method === 'GET' ? `?${form}` : ''}`;
  try {
    const response = await fetch(url, {
      method,
      headers,
      credentials: 'omit',
      ...(method === 'POST' ? { body: form } : {}),
    });
    const reply = (await response.json()) as Reply;
    return reply.error ? { error: reply.error } : { value: reply as T };
  } catch {
    return { error: UNREACHABLE };
  }
}

/** `pi_123_secret_456` → where that intent lives. */
export function intentPath(clientSecret: string): string {
  const id = clientSecret.split('_secret_')[0] ?? '';
  const collection = id.startsWith('seti_') ? 'setup_intents' : 'payment_intents';
  return `/v1/${collection}/${encodeURIComponent(id)}`;
}

export async function retrieve(client: Client, clientSecret: string): Promise<Answer> {
  const reply = await call<Intent>(client, 'GET', intentPath(clientSecret), {
    client_secret: clientSecret,
  });
  return 'error' in reply ? { error: reply.error } : { intent: reply.value };
}
