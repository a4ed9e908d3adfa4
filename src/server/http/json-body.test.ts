import { describe, expect, test } from 'vitest';
import { changeZone } from '#contracts/operations/dns.ts';
import { unknownKeySteps } from '#contracts/unknown-keys.ts';
import { parseJsonBody } from './json-body.ts';

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
const refusal = (value: unknown) => parseJsonBody(bytes(value)).then(String, (error: Error) => error.message);

/** How often work could have given way. */
function counter() {
  const seen = { steps: 0 };
  const giveWay = () => {
    seen.steps += 1;
    return undefined;
  };
  return { seen, giveWay };
}

describe('a large body', () => {
  const changes = Array.from({ length: 5_000 }, (_, index) => ({
    ...{ type: 'A', action: 'add', subdomain: `host-${index}`, ip_address: '192.0.2.1' },
  }));

  test('is read in steps: at least one for each 10,000 characters and for each value', async () => {
    const { seen, giveWay } = counter();
    const body = bytes({ records: changes });
    expect(await parseJsonBody(body, giveWay)).toEqual({ records: changes });
    expect(seen.steps).toBeGreaterThanOrEqual(Math.floor(body.length / 10_000) + changes.length * 5);
  });

  test('of one long text is read in steps too', async () => {
    const { seen, giveWay } = counter();
    await parseJsonBody(bytes({ text: 'x'.repeat(1_000_000) }), giveWay);
    expect(seen.steps).toBeGreaterThanOrEqual(100);
  });

  test('is looked through for unknown fields in steps, and left when enough are known', () => {
    const schema = changeZone.body;
    let steps = 0;
    for (const _step of unknownKeySteps(schema, { records: changes })) steps += 1;
    expect(steps).toBeGreaterThan(changes.length * 4);
    const wrong = unknownKeySteps(schema, { records: changes.map((each) => ({ ...each, strange: 1 })) });
    const found: string[] = [];
    for (const path of wrong) if (path !== null && found.push(path) === 2) break;
    expect(found).toEqual(['records.0.strange', 'records.1.strange']);
  });

  test('with more values, or more fields in one object, than any call takes is refused before it is parsed', async () => {
    expect(await refusal(Array(150_001).fill(1))).toBe('The request has too many values.');
    const wide = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 1]));
    expect(await refusal(wide(1_001))).toBe('An object in the request has too many fields.');
    expect(await refusal(wide(1_000))).toBe('[object Object]');
    expect(await refusal([wide(600), wide(600)])).toBe('[object Object],[object Object]');
    // Signs inside a text count for nothing.
    expect(await refusal(`"${',:{['.repeat(50_000)}\\"`)).toContain(',:{[');
  });
});
