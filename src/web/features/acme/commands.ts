/** What to paste on a machine, for each client that people use. Options checked on 2026-11-22. */

export interface Setup {
  directoryUrl: string;
  keyId: string;
  /** Null once it is not shown any more: the commands then have a place for it. */
  hmacKey: string | null;
  /** What the certificate is for. */
  host: string;
}

interface Block {
  /** What it is, or the file that it belongs into. */
  title: string;
  text: string;
}

export interface ClientGuide {
  id: string;
  name: string;
  /** What it is used for, and how it renews. */
  about: string;
  blocks: Block[];
}

export const keyPlaceholder = 'YOUR_HMAC_KEY';
const email = 'admin@example.com';

/** As one word of a shell: `*` would be replaced by names of files. */
const word = (text: string) => (/^[\w.:/=@-]+$/.test(text) ? text : `'${text}'`);
const lines = (...parts: string[]) => parts.join('\n');
const command = (...parts: string[]) => parts.join(' \\\n  ');

/** Every client with its commands filled in. */
export function guidesFor(setup: Setup): ClientGuide[] {
  const filled = { ...setup, hmacKey: setup.hmacKey ?? keyPlaceholder };
  return makers.map((make) => make(filled));
}

type Filled = Setup & { hmacKey: string };

const makers: readonly ((setup: Filled) => ClientGuide)[] = [
  ({ directoryUrl, keyId, hmacKey, host }) => ({
    id: 'certbot',
    name: 'certbot',
    about:
      'For web servers on Linux. Its package renews by a timer; the hook makes the server use the new certificate.',
    blocks: [
      {
        title: 'Get the certificate',
        text: command(
          'certbot certonly --non-interactive --agree-tos --register-unsafely-without-email',
          // Nothing has to be proven, but certbot wants a way to do it.
          '--manual --preferred-challenges dns --manual-auth-hook /bin/true',
          `--server ${directoryUrl}`,
          `--eab-kid ${keyId}`,
          `--eab-hmac-key ${hmacKey}`,
          '--deploy-hook "systemctl reload nginx"',
          `-d ${word(host)}`,
        ),
      },
    ],
  }),
  ({ directoryUrl, keyId, hmacKey, host }) => {
    const common = [`lego --server ${directoryUrl}`, `--email ${email}`, `--domains ${word(host)}`, '--http'];
    return {
      id: 'lego',
      name: 'lego',
      about: 'One program without dependencies, version 4. Run the second command once a day.',
      blocks: [
        {
          title: 'Get the certificate',
          text: command(...common, '--accept-tos --eab', `--kid ${keyId}`, `--hmac ${hmacKey}`, 'run'),
        },
        { title: 'Renew, once a day', text: command(...common, 'renew --days 30') },
      ],
    };
  },
  ({ directoryUrl, keyId, hmacKey, host }) => ({
    id: 'acme.sh',
    name: 'acme.sh',
    about: 'A shell script. It renews by its own cron job.',
    blocks: [
      {
        title: 'Register',
        text: command(
          'acme.sh --register-account',
          `--server ${directoryUrl}`,
          `--eab-kid ${keyId}`,
          `--eab-hmac-key ${hmacKey}`,
        ),
      },
      {
        title: 'Get and install the certificate',
        text: lines(
          command('acme.sh --issue --webroot /var/www/html', `--server ${directoryUrl}`, `-d ${word(host)}`),
          command(
            `acme.sh --install-cert -d ${word(host)}`,
            '--key-file /etc/ssl/private/site.key',
            '--fullchain-file /etc/ssl/certs/site.pem',
            '--reloadcmd "systemctl reload nginx"',
          ),
        ),
      },
    ],
  }),
  ({ directoryUrl, keyId, hmacKey, host }) => ({
    id: 'caddy',
    name: 'Caddy',
    about: 'A web server that gets and renews certificates by itself.',
    blocks: [
      {
        title: 'Caddyfile',
        text: lines(
          '{',
          `\tacme_ca ${directoryUrl}`,
          '\tacme_eab {',
          `\t\tkey_id ${keyId}`,
          `\t\tmac_key ${hmacKey}`,
          '\t}',
          '}',
          '',
          `${host} {`,
          '\trespond "It works"',
          '}',
        ),
      },
    ],
  }),
  ({ directoryUrl, keyId, hmacKey, host }) => ({
    id: 'traefik',
    name: 'Traefik',
    about:
      'A proxy for containers. It renews by itself. It asks for no wildcards unless it has a DNS provider.',
    blocks: [
      {
        title: 'traefik.yml',
        text: lines(
          'certificatesResolvers:',
          '  portal:',
          '    acme:',
          `      caServer: ${directoryUrl}`,
          `      email: ${email}`,
          '      storage: /etc/traefik/acme.json',
          '      eab:',
          `        kid: ${keyId}`,
          `        hmacEncoded: ${hmacKey}`,
          '      httpChallenge:',
          '        entryPoint: web',
        ),
      },
      {
        title: 'Labels of the container',
        text: lines(
          `traefik.http.routers.site.rule=Host(\`${host}\`)`,
          'traefik.http.routers.site.tls.certresolver=portal',
        ),
      },
    ],
  }),
  ({ directoryUrl, keyId, hmacKey, host }) => ({
    id: 'win-acme',
    name: 'win-acme',
    about: 'For IIS on Windows. It renews by a scheduled task.',
    blocks: [
      {
        title: 'In a command prompt as administrator',
        text: [
          'wacs.exe --source manual',
          `--host ${host}`,
          `--baseuri ${directoryUrl}`,
          `--eab-key-identifier ${keyId}`,
          `--eab-key ${hmacKey}`,
          `--accepttos --emailaddress ${email}`,
          '--validation selfhosting --store certificatestore --installation iis',
        ].join(' '),
      },
    ],
  }),
  ({ directoryUrl, keyId, hmacKey, host }) => ({
    id: 'cert-manager',
    name: 'cert-manager',
    about: 'For Kubernetes. It renews by itself.',
    blocks: [
      {
        title: 'Store the key',
        text: command(
          'kubectl create secret generic portal-eab',
          '--namespace cert-manager',
          `--from-literal=secret=${hmacKey}`,
        ),
      },
      {
        title: 'issuer.yaml',
        text: lines(
          'apiVersion: cert-manager.io/v1',
          'kind: ClusterIssuer',
          'metadata:',
          '  name: portal',
          'spec:',
          '  acme:',
          `    server: ${directoryUrl}`,
          '    privateKeySecretRef:',
          '      name: portal-account',
          '    externalAccountBinding:',
          `      keyID: ${keyId}`,
          '      keySecretRef:',
          '        name: portal-eab',
          '        key: secret',
          '    solvers:',
          '      - http01:',
          '          ingress:',
          '            ingressClassName: nginx',
        ),
      },
      {
        title: 'certificate.yaml',
        text: lines(
          'apiVersion: cert-manager.io/v1',
          'kind: Certificate',
          'metadata:',
          '  name: site',
          'spec:',
          '  secretName: site-tls',
          '  issuerRef:',
          '    kind: ClusterIssuer',
          '    name: portal',
          '  dnsNames:',
          `    - "${host}"`,
        ),
      },
    ],
  }),
  ({ directoryUrl, keyId, hmacKey, host }) => ({
    id: 'uacme',
    name: 'uacme',
    about: 'A small client in C, for routers and other small machines. Run the second command once a day.',
    blocks: [
      { title: 'Register', text: command(`uacme -y -a ${directoryUrl}`, `-e ${keyId}:${hmacKey} new`) },
      {
        title: 'Get the certificate, and renew it once a day',
        text: `uacme -a ${directoryUrl} issue ${word(host)}`,
      },
    ],
  }),
  ({ directoryUrl, keyId, hmacKey, host }) => ({
    id: 'dehydrated',
    name: 'dehydrated',
    about: 'A shell script with a file of names. Run its last command once a day.',
    blocks: [
      {
        title: '/etc/dehydrated/config',
        text: lines(
          `CA="${directoryUrl}"`,
          `EAB_KID="${keyId}"`,
          `EAB_HMAC_KEY="${hmacKey}"`,
          'CHALLENGETYPE="dns-01"',
          'HOOK="/bin/true"',
        ),
      },
      {
        title: '/etc/dehydrated/domains.txt',
        text: host.startsWith('*.') ? `${host} > ${host.slice(2)}` : host,
      },
      {
        title: 'Register, then get the certificate',
        text: lines('dehydrated --register --accept-terms', 'dehydrated --cron'),
      },
    ],
  }),
];
