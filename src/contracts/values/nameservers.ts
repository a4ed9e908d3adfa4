import { z } from 'zod';
import { hostName } from './domain-name.ts';

/** The nameservers that a domain is delegated to. */

export const nameserverLimits = { least: 2, most: 12 } as const;

export const nameserverList = z
  .array(hostName)
  // P2 §5: at most 12; at least 2.
  .min(nameserverLimits.least, 'At least 2 nameservers are needed')
  .max(nameserverLimits.most, 'At most 12 nameservers are possible')
  .refine((names) => new Set(names).size === names.length, {
    message: 'A nameserver is listed twice',
  });
