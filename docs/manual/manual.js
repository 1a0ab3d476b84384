// The search of the manual: sections in which all words occur, the best first. The texts are loaded with the first key.
const input = document.querySelector('input[type=search]');
const list = document.querySelector('#found');
const most = 20;
let loading;

function load() {
  loading ??= new Promise((done, fail) => {
    const script = document.createElement('script');
    script.addEventListener('load', () => done(globalThis.manualSections));
    script.addEventListener('error', fail);
    script.src = 'search.js';
    document.head.append(script);
  });
  return loading;
}

/** 0 if a word is missing. */
function score({ page, heading, text }, words) {
  let sum = 0;
  for (const word of words) {
    const inHeading = heading.toLowerCase().includes(word) ? 8 : 0;
    const inTitle = page.toLowerCase().includes(word) ? 4 : 0;
    const inText = Math.min(text.toLowerCase().split(word).length - 1, 3);
    if (inHeading + inTitle + inText === 0) return 0;
    sum += inHeading + inTitle + inText;
  }
  return sum;
}

function around(text, word) {
  const at = text.toLowerCase().indexOf(word);
  const from = Math.max(0, at - 50);
  return `${from > 0 ? '…' : ''}${text.slice(from, from + 140)}…`;
}

input.addEventListener('input', async () => {
  const typed = input.value;
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const sections = words.length > 0 ? await load() : [];
  if (input.value !== typed) return;
  const scored = sections.map((section) => [score(section, words), section]).filter(([points]) => points > 0);
  scored.sort(([a], [b]) => b - a);
  const items = scored.slice(0, most).map(([, section]) => {
    const item = document.createElement('li');
    const link = document.createElement('a');
    link.href = `${section.file}#${section.anchor}`;
    link.textContent = section.heading === section.page ? section.page : `${section.page}: ${section.heading}`;
    const excerpt = document.createElement('p');
    excerpt.textContent = around(section.text, words[0]);
    item.append(link, excerpt);
    return item;
  });
  if (words.length > 0 && items.length === 0) items.push('Nothing in the manual has all of these words.');
  list.replaceChildren(...items);
});
