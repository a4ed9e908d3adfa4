import { IconShieldCheck, IconUsers, IconWorld } from '@tabler/icons-react';
import classes from './landing-more.module.css';

/** Below the first lines of the landing page: what the product looks like, what it promises, how to try it. */
export default function LandingMore() {
  return (
    <>
      <Picture
        name="start"
        alt="The start screen of an MSP: the search, figures of domains, customers and users, what needs attention, and how long the balance lasts"
      />
      <ul className={classes.points}>
        {points.map(({ Icon, title, text }) => (
          <li key={title}>
            <Icon size={24} aria-hidden />
            <h2>{title}</h2>
            <p>{text}</p>
          </li>
        ))}
      </ul>
      <section className={classes.shown} aria-labelledby="records">
        <h2 id="records">DNS that says what is wrong</h2>
        <p>
          Records are grouped by what they are for, and each group says whether it works. Every change keeps
          who made it, when and why, and can be taken back.
        </p>
        <Picture
          name="dns"
          alt="The DNS records of a domain: website, email and verification, each with a verdict, and who changed a record last"
        />
      </section>
      <section className={classes.steps} aria-labelledby="first-steps">
        <h2 id="first-steps">Three steps to your first domain</h2>
        <ol>
          {steps.map(({ title, text }) => (
            <li key={title}>
              <h3>{title}</h3>
              <p>{text}</p>
            </li>
          ))}
        </ol>
      </section>
    </>
  );
}

const themes = ['light', 'dark'] as const;

/** A screen of the product in the reader's theme; on a small screen as it is on one. */
function Picture({ name, alt }: { name: 'start' | 'dns'; alt: string }) {
  return (
    <figure className={classes.picture}>
      {themes.map((theme) => (
        <picture key={theme} data-of={theme}>
          <source
            media="(max-width: 40rem)"
            srcSet={`/pictures/${name}-narrow-${theme}.webp`}
            width={780}
            height={1120}
          />
          <img
            src={`/pictures/${name}-wide-${theme}.webp`}
            alt={alt}
            width={1600}
            height={1000}
            loading="lazy"
          />
        </picture>
      ))}
    </figure>
  );
}

/** What a visitor wants to know first. */
const points = [
  {
    Icon: IconWorld,
    title: 'Every domain in one place',
    text: 'Search, register, renew and transfer. See expiry dates, locks, DNS records and certificates for every customer, so nothing surprises you at night.',
  },
  {
    Icon: IconShieldCheck,
    title: 'Charged for what succeeds',
    text: 'One prepaid balance, with every cent explained. Money is reserved when you order and charged when the registry confirms. A failed order costs nothing.',
  },
  {
    Icon: IconUsers,
    title: 'Your customers, your prices',
    text: 'Contacts are entered once. Set markups for each customer, and bill them directly where you want to.',
  },
];

const steps = [
  { title: 'Create your account', text: 'Your name and company name are all you need to start.' },
  {
    title: 'Top up your balance',
    text: 'From $100, by card or bank transfer. The money stays in your balance until you buy something.',
  },
  {
    title: 'Search a name and buy it',
    text: 'Add the customer it is for. A minute later the domain is theirs.',
  },
];
