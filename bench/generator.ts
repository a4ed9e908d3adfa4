// @ts-expect-error It comes without types.
import autocannon from 'autocannon';

/** Loads an address as it is told, and answers with the report. It ends with the program that tells it. */
const load: (options: Record<string, unknown>) => Promise<unknown> = autocannon;

process.on('message', (options: Record<string, unknown>) => {
  // It ends with a sample: one a second would make two seconds of one and a half.
  void load({ ...options, sampleInt: 50 }).then((report) => process.send?.(report));
});
process.on('disconnect', () => process.exit());
