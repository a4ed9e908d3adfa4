/** The outside world's control plane, as browser tests use it. */
export async function control<T = unknown>(part: string, route: string, body: unknown = {}): Promise<T> {
  const reply = await fetch(`${process.env.E2E_PANEL}/control/${part}/${route}`, {
    method: 'POST',
    // A connection of its own: a kept one may be closed by the other side in the moment in which it is used again.
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`control ${part}/${route}: ${reply.status} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}
