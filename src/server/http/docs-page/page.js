/** Shows the calls that have all of the words; an address with #customers.list opens that call. */
const filter = document.getElementById('filter');
const found = document.getElementById('found');
const calls = [...document.querySelectorAll('details')];

function show() {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const call of calls) call.hidden = !words.every((word) => call.dataset.words.includes(word));
  for (const section of document.querySelectorAll('section')) {
    section.hidden = !section.querySelector('details:not([hidden])');
  }
  const count = calls.filter((call) => !call.hidden).length;
  found.textContent = count === 1 ? '1 call' : `${count} calls`;
}

function openNamed() {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named instanceof HTMLDetailsElement) named.open = true;
}

filter.addEventListener('input', show);
addEventListener('hashchange', openNamed);
show();
openNamed();
