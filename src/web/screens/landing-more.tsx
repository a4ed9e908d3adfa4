import { IconShieldCheck, IconUsers, IconWorld } from '@tabler/icons-react';
import classes from './landing-more.module.css';

/** Below the first lines of the landing page: what the product looks like, what it promises, how to try it. */
export default function LandingMore() {
  return (
    <>
      <figure className={classes.picture}>
        <img
          src="/pictures/start-light.webp"
          alt={shown}
          width={1600}
          height={1000}
          loading="lazy"
          data-of="light"
        />
        <img
          src="/pictures/start-dark.webp"
          alt={shown}
          width={1600}
          height={1000}
          loading="lazy"
          data-of="dark"
        />
      </figure>
      <ul className={classes.points}>
        {points.map(({ Icon, title, text }) => (
          <li key={title}>
            <Icon size={24} aria-hidden />
            <h2>{title}</h2>
            <p>{text}</p>
          </li>
        ))}
      </ul>
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

const shown =
  'The start screen of an MSP: the search, figures of domains, customers and users, what needs attention, and how long the balance lasts';

/** What a visitor wants to know first. */
const points = [
  {
    Icon: IconWorld,
    title: 'Every domain in one place',
    text: 'Search, register, renew and transfer. Expiry, locks, DNS records and certificates for every customer, with nothing left to find out at night.',
  },
  {
    Icon: IconShieldCheck,
    title: 'Charged for what succeeds',
    text: 'One prepaid balance, every cent of it explained. Money is reserved when you order and taken when the registry has confirmed; what fails costs nothing.',
  },
  {
    Icon: IconUsers,
    title: 'Your customers, your prices',
    text: 'Contacts are entered once. Set markups for each customer, and bill them directly where you want to.',
  },
];

const steps = [
  { title: 'Create your account', text: 'Your name and the name of your company are enough to begin.' },
  {
    title: 'Top up your balance',
    text: 'From $100, by card or bank transfer. Nothing is taken from it until you buy something.',
  },
  {
    title: 'Search a name and buy it',
    text: 'Add the customer it is for. A minute later the domain is theirs.',
  },
];
