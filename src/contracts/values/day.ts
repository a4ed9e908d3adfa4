import { z } from 'zod';

/** A day that exists, as queries and files name it: of this century, so that every clock and database can count from it. */
export const day = z.iso
  .date('Please enter a day as 2026-11-21')
  .refine((text) => text.startsWith('20'), 'Please enter a day of this century');
