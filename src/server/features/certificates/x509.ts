/** The library for requests and certificates, loaded when the first of them is read. */
export async function loadX509() {
  // Its parts are joined by metadata, which has to be there first.
  await import('reflect-metadata');
  return import('@peculiar/x509');
}

export type X509 = Awaited<ReturnType<typeof loadX509>>;
