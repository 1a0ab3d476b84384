// The manual: README.md, docs/ and the changelog as pages that need nothing but a browser, with a search over all of them.
// `manual.ts FOLDER` writes it there; a link that leads nowhere makes it fail. Weft serves it at /manual.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path/posix';
import { Marked, type Token, type Tokens } from 'marked';

const root = resolve(import.meta.dirname, '..');

/** In the order in which they are listed; what is in no group is listed at the end. */
const groups: Record<string, string[]> = {
  Begin: ['README.md', ...docs('installation', 'tour', 'tutorial', 'guarantees', 'glossary')],
  'Run a network': docs(
    ...['fleet', 'configuration-of-access-points', 'alarms', 'health', 'events-and-webhooks', 'devices', 'energy'],
    ...['accounts', 'permissions', 'command-line', 'configuration'],
  ),
  'Run Weft': docs('operations', 'runbooks', 'postgresql', 'kubernetes', 'scale'),
  'Own access points': docs('agents', 'lab'),
  'Write programs': docs('sdk', 'conflicts', 'protocols', 'write-a-worker', 'emulator', 'learning'),
  'Behind it': ['CHANGELOG.md', 'SECURITY.md', ...docs('benchmarks', 'tests')],
};

interface ManualPage {
  path: string;
  file: string;
  title: string;
  text: string;
  anchors: Set<string>;
}

/** A part of a page, as the search finds it. */
interface Section {
  file: string;
  page: string;
  heading: string;
  anchor: string;
  text: string;
}

function docs(...names: string[]): string[] {
  return names.map((name) => `docs/${name}.md`);
}

/** Returns the names of its files. */
export function writeManual(folder: string): string[] {
  const pages = readPages();
  const written = new Map<string, string>();
  /** Files of the repository by their names here. */
  const copied = new Map(
    readdirSync(join(root, 'docs', 'manual')).map((name): [string, string] => [name, `docs/manual/${name}`]),
  );
  const sections: Section[] = [];
  for (const page of pages.values()) {
    const body = new Marked({ renderer: rendererFor(page, pages, copied) }).parse(page.text, { async: false });
    written.set(page.file, frame(page, body, pages));
    sections.push(...sectionsOf(page));
  }
  written.set('search.js', `globalThis.manualSections = ${JSON.stringify(sections)};\n`);
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of written) writeFileSync(join(folder, name), text);
  for (const [name, path] of copied) copyFileSync(join(root, path), join(folder, name));
  return [...written.keys(), ...copied.keys()];
}

/** What would stand in the manual if this were on this page, or what is wrong with it. */
export function pageText(path: string, text: string): string {
  const pages = readPages();
  try {
    return new Marked({ renderer: rendererFor(pages.get(path)!, pages, new Map()) }).parse(text, { async: false });
  } catch (error) {
    return (error as Error).message;
  }
}

function readPages(): Map<string, ManualPage> {
  const inDocs = (folder: string) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .sort();
  const listed = [
    ...Object.values(groups).flat(),
    ...docsOf(inDocs('docs'), 'docs'),
    ...docsOf(inDocs('docs/adr'), 'docs/adr'),
  ];
  const paths = [...new Set(listed)].filter((path) => existsSync(join(root, path)));
  return new Map(paths.map((path) => [path, readPage(path)]));
}

function docsOf(names: string[], folder: string): string[] {
  return names.map((name) => `${folder}/${name}`);
}

function readPage(path: string): ManualPage {
  // Marks for the suite are no part of the page.
  const text = readFileSync(join(root, path), 'utf8').replaceAll(/^<!--.*?-->\n/gms, '');
  const headings = new Marked().lexer(text).filter((token): token is Tokens.Heading => token.type === 'heading');
  const file =
    path === 'README.md'
      ? 'index.html'
      : `${path
          .replace(/^docs\//, '')
          .replaceAll('/', '-')
          .slice(0, -3)}.html`;
  const anchors = new Set<string>();
  for (const { text: title } of headings) anchors.add(freeAnchor(title, anchors));
  return { path, file: file.toLowerCase(), title: plain(headings[0]?.text ?? path), text, anchors };
}

/** As GitHub makes them. */
function freeAnchor(title: string, taken: ReadonlySet<string>): string {
  const words = title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
  let anchor = words;
  for (let n = 1; taken.has(anchor); n++) anchor = `${words}-${n}`;
  return anchor;
}

function rendererFor(page: ManualPage, pages: Map<string, ManualPage>, copied: Map<string, string>) {
  const used = new Set<string>();
  const place = (link: string) => {
    const found = resolveLink(link, page, pages);
    if (found?.picture !== undefined) copied.set(found.address, found.picture);
    return found;
  };
  return {
    heading(this: { parser: { parseInline(tokens: Token[]): string } }, { tokens, depth, text }: Tokens.Heading) {
      const anchor = freeAnchor(text, used);
      used.add(anchor);
      return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    link(this: { parser: { parseInline(tokens: Token[]): string } }, { href, tokens }: Tokens.Link) {
      const words = this.parser.parseInline(tokens);
      const found = place(href);
      return found ? `<a href="${found.address}">${words}</a>` : words;
    },
    image: ({ href, text }: Tokens.Image) => `<img src="${place(href)?.address}" alt="${escapeHtml(text)}">`,
    // Pictures for light and dark.
    html: ({ text }: Tokens.HTML | Tokens.Tag) =>
      text.replaceAll(/\b(src|srcset)="([^"]+)"/g, (_, name, link) => `${name}="${place(link)?.address}"`),
  };
}

/** Undefined for what is in the repository and not in the manual: its words stay, without a link. */
function resolveLink(
  link: string,
  page: ManualPage,
  pages: Map<string, ManualPage>,
): { address: string; picture?: string } | undefined {
  if (/^(https?|mailto):/.test(link)) return { address: link };
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page.path : normalize(join(dirname(page.path), path)).replace(/\/$/, '');
  const other = pages.get(target);
  if (other && anchor !== undefined && !other.anchors.has(anchor))
    throw new Error(`${page.path}: no heading for ${link}`);
  if (other) return { address: other.file + (anchor === undefined ? '' : `#${anchor}`) };
  if (!existsSync(join(root, target))) throw new Error(`${page.path}: ${link} leads nowhere`);
  return /\.(png|svg)$/.test(target) ? { address: target.split('/').at(-1)!, picture: target } : undefined;
}

function sectionsOf({ file, title, text }: ManualPage): Section[] {
  const sections: Section[] = [];
  const used = new Set<string>();
  for (const token of new Marked().lexer(text)) {
    if (token.type === 'heading') {
      const anchor = freeAnchor(token.text, used);
      used.add(anchor);
      sections.push({ file, page: title, heading: plain(token.text), anchor, text: '' });
    } else if (sections.length > 0) sections.at(-1)!.text += ` ${plain(token.raw)}`;
  }
  return sections;
}

/** Words without their marks. */
function plain(markdown: string): string {
  return markdown
    .replaceAll(/\]\([^()]*\)|[`*#|[\]]|<[^<>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function frame(page: ManualPage, body: string, pages: Map<string, ManualPage>): string {
  const isGrouped = new Set(Object.values(groups).flat());
  const rest = [...pages.keys()].filter((path) => !isGrouped.has(path));
  const list = (title: string, paths: string[]) => {
    const links = paths
      .flatMap((path) => pages.get(path) ?? [])
      .map((other) => {
        const here = other === page ? ' aria-current="page"' : '';
        return `<li><a href="${other.file}"${here}>${escapeHtml(other === pages.get('README.md') ? 'Weft' : other.title)}</a></li>`;
      });
    return links.length === 0 ? '' : `<h2>${title}</h2><ul>${links.join('')}</ul>`;
  };
  const all = Object.entries(groups).map(([title, paths]) => list(title, paths));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(page.title)} · Weft manual</title>
<link rel="stylesheet" href="manual.css">
<script src="manual.js" defer></script>
</head>
<body>
<nav aria-label="Manual">
<input type="search" placeholder="Search the manual" aria-label="Search the manual">
<ol id="found" aria-live="polite"></ol>
<details open><summary>Pages</summary>${all.join('')}${list('More', rest)}</details>
</nav>
<main>
${body}</main>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

if (process.argv[1] === import.meta.filename) writeManual(resolve(process.argv[2] ?? 'docs/dist'));
