// site.js -- the menu of narrow screens, light and dark, copying, and search.  The index is a
// script (search.js), so that it loads from a disk too, where pages may not fetch files.
'use strict';

const root = document.documentElement;
const at = name => document.getElementById(name);

function remembered(key, value) {  // a browser may refuse, as for files
  try {
    if (value === undefined) return localStorage.getItem(key);
    localStorage.setItem(key, value);
  } catch { /* then it is forgotten */ }
  return null;
}

const night = matchMedia('(prefers-color-scheme: dark)');

function shade() {
  const chosen = remembered('peck-shade');
  root.toggleAttribute('data-dark', chosen ? chosen === 'dark' : night.matches);
}

shade();
night.addEventListener('change', shade);

function copyButtons() {
  if (!navigator.clipboard) return;
  for (const block of document.querySelectorAll('.block')) {
    const button = document.createElement('button');
    button.textContent = 'copy';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.querySelector('code').textContent);
      button.textContent = 'copied';
      setTimeout(() => { button.textContent = 'copy'; }, 1500);
    });
    block.append(button);
  }
}

// Search --------------------------------------------------------------------------

const words = text => text.toLowerCase().match(/[\p{L}\p{N}_@.+-]+/gu) || [];

function value(entry, asked) {
  // An entry: [page, title, heading, anchor, text, worth].  Every word must be there.
  let sum = entry[5];
  const title = entry[1].toLowerCase(), heading = entry[2].toLowerCase();
  const text = entry[4].toLowerCase();
  for (const word of asked) {
    let one = 0;
    if (words(heading).some(w => w === word)) one += 12;
    else if (heading.includes(word)) one += 6;
    if (title.includes(word)) one += 4;
    const first = text.indexOf(word);
    if (first >= 0) one += 1 + Math.min(8, text.split(word).length - 1) / 2;
    if (one === 0) return 0;
    sum += one;
  }
  return sum;
}

function snippet(text, asked) {
  const lower = text.toLowerCase();
  const first = Math.max(0, Math.min(...asked.map(w => lower.indexOf(w)).filter(i => i >= 0), text.length) - 40);
  const cut = (first ? '…' : '') + text.slice(first, first + 130) + (first + 130 < text.length ? '…' : '');
  const line = document.createElement('small');
  let rest = cut;
  while (rest) {
    const spots = asked.map(w => [rest.toLowerCase().indexOf(w), w.length]).filter(s => s[0] >= 0);
    if (!spots.length) break;
    const [i, n] = spots.sort((a, b) => a[0] - b[0])[0];
    const marked = document.createElement('mark');
    marked.textContent = rest.slice(i, i + n);
    line.append(rest.slice(0, i), marked);
    rest = rest.slice(i + n);
  }
  line.append(rest);
  return line;
}

let index = null, chosen = -1;

function load() {
  if (index) return;
  index = [];
  const script = document.createElement('script');
  script.src = root.dataset.top + 'search.js';
  script.onload = () => { index = window.PECK_SEARCH; show(); };
  document.head.append(script);
}

function show() {
  const list = at('found'), asked = words(at('ask').value);
  list.replaceChildren();
  list.hidden = !asked.length;
  chosen = -1;
  if (!asked.length) return;
  const times = new Map();  // at most two sections of a page
  const hits = index.map(e => [value(e, asked), e]).filter(h => h[0] > 0)
    .sort((a, b) => b[0] - a[0]).filter(([, e]) => {
      times.set(e[0], (times.get(e[0]) || 0) + 1);
      return times.get(e[0]) <= 2;
    }).slice(0, 12);
  for (const [, entry] of hits) {
    const item = document.createElement('li'), link = document.createElement('a');
    const name = document.createElement('b');
    link.href = root.dataset.top + entry[0] + (entry[3] ? '#' + entry[3] : '');
    name.textContent = entry[2] || entry[1];
    link.append(name, entry[2] && entry[2] !== entry[1] ? ' · ' + entry[1] : '', snippet(entry[4], asked));
    item.setAttribute('role', 'option');
    item.append(link);
    list.append(item);
  }
  if (!hits.length) {
    const none = document.createElement('p');
    none.textContent = 'Nothing has all of these words.';
    list.append(none);
  }
}

function move(by) {
  const items = [...at('found').querySelectorAll('li')];
  if (!items.length) return;
  chosen = (chosen + by + items.length) % items.length;
  items.forEach((item, i) => item.setAttribute('aria-selected', String(i === chosen)));
  items[chosen].scrollIntoView({ block: 'nearest' });
}

function keys(event) {
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    move(event.key === 'ArrowDown' ? 1 : -1);
  } else if (event.key === 'Enter') {
    const links = at('found').querySelectorAll('a');
    if (links.length) links[Math.max(0, chosen)].click();
  } else if (event.key === 'Escape') {
    at('ask').value = '';
    show();
    at('ask').blur();
  }
}

addEventListener('DOMContentLoaded', () => {
  copyButtons();
  at('shade').addEventListener('click', () => {
    remembered('peck-shade', root.hasAttribute('data-dark') ? 'light' : 'dark');
    root.toggleAttribute('data-dark');
  });
  at('menu').addEventListener('click', () => {
    const open = document.body.classList.toggle('open');
    at('menu').setAttribute('aria-expanded', String(open));
  });
  at('ask').addEventListener('focus', load);
  at('ask').addEventListener('input', () => { load(); if (index.length) show(); });
  at('ask').addEventListener('keydown', keys);
  addEventListener('keydown', event => {
    if (event.key === '/' && !/INPUT|TEXTAREA/.test(document.activeElement.tagName)) {
      event.preventDefault();
      at('ask').focus();
    }
  });
  addEventListener('click', event => {
    if (!event.target.closest('.find')) at('found').hidden = true;
  });
  document.querySelector('nav.menu [aria-current]')?.scrollIntoView({ block: 'nearest' });
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
});
