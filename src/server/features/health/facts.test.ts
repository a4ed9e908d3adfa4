import { expect, test } from 'vitest';
import type { Probe } from '../../ports/probe.ts';
import type { Resolver } from '../../ports/resolver.ts';
import { gatherFacts } from './facts.ts';

test('a domain that names thousands of servers costs no more questions than any other', async () => {
  const names = Array.from({ length: 2_000 }, (_, n) => `ns${n}.many.example`);
  const asked: string[] = [];
  const none = async () => [];
  const resolver: Resolver = {
    ...{ txt: none, cname: none, mx: none, caa: none, nameservers: async () => names },
    addresses: async (name) => {
      asked.push(name);
      return name.endsWith('.many.example') ? ['203.0.113.7'] : [];
    },
  };
  const looks: string[] = [];
  const probe = {
    nameserver: async (_domain: string, address: string) => {
      looks.push(address);
      return { authoritative: true, serial: 1 };
    },
  } as unknown as Probe;
  const own = { address: 'acme.com', registered: null, aliases: null, certificates: [] };
  const rdap = { registration: async () => null };
  const facts = await gatherFacts({ resolver, probe, rdap }, own, new Date());
  expect(facts.nameservers).toHaveLength(2_000);
  expect(asked.filter((name) => name.endsWith('.many.example'))).toHaveLength(20);
  expect(looks).toHaveLength(8);
});
