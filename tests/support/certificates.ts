import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** Certificates made while a test runs, so that no key lies in the repository and none of them ever expires. */

export interface TestCertificate {
  name: string;
  certificatePem: string;
  keyPem: string;
  key: KeyObject;
}

const der = (tag: number, ...contents: Buffer[]): Buffer => {
  const body = Buffer.concat(contents);
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const length = Buffer.from(body.length.toString(16).padStart(4, '0'), 'hex');
  return Buffer.concat([Buffer.from([tag, 0x82]), length, body]);
};
const sequence = (...contents: Buffer[]) => der(0x30, ...contents);
const objectId = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const ecdsaWithSha256 = sequence(objectId('2a8648ce3d040302'));
const commonName = objectId('550403');
const subjectAltName = objectId('551d11');
const basicConstraints = objectId('551d13');
const time = (at: Date) => der(0x18, Buffer.from(`${at.toISOString().replace(/[-:T]|\.\d{3}/g, '')}`));
const nameOf = (name: string) => sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from(name)))));

/** A certificate for a DNS name or an authority, signed by `issuer` or by itself. */
export function makeCertificate(
  name: string,
  options: {
    issuer?: TestCertificate;
    authority?: boolean;
    notBefore?: Date;
    notAfter?: Date;
    serial?: Buffer;
  } = {},
): TestCertificate {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const notBefore = options.notBefore ?? new Date(Date.now() - 86_400_000);
  const notAfter = options.notAfter ?? new Date(Date.now() + 86_400_000);
  const serial = options.serial ?? Buffer.concat([Buffer.from([0x01]), randomBytes(8)]);
  const dnsName = der(0x82, Buffer.from(name));
  const extensions = [
    sequence(
      basicConstraints,
      der(0x04, sequence(...(options.authority ? [der(0x01, Buffer.from([0xff]))] : []))),
    ),
    ...(options.authority ? [] : [sequence(subjectAltName, der(0x04, sequence(dnsName)))]),
  ];
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    ecdsaWithSha256,
    nameOf(options.issuer?.name ?? name),
    sequence(time(notBefore), time(notAfter)),
    nameOf(name),
    pair.publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = sign('sha256', body, options.issuer?.key ?? pair.privateKey);
  const whole = sequence(body, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    name,
    certificatePem: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
    keyPem: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    key: pair.privateKey,
  };
}
