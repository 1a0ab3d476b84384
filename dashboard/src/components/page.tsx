// The frame of every page: its title, what can be done with it, its views, and its matter. Takes the focus when it is gone to.
import './page.css';
import { type ComponentChildren, type ComponentType, Fragment } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { hasGoneElsewhere, useQueryState } from '../router/location.ts';
import { shellText } from '../text/components.ts';
import { EmptyState } from './feedback.tsx';

interface PageFrameProps {
  title: string;
  /** Beside the title: a chip, a way back. */
  beside?: ComponentChildren;
  /** Below the title, and on a phone before what can be done. */
  lead?: ComponentChildren;
  actions?: ComponentChildren;
  /** The matter fills the window and scrolls by itself, as a long list or a map does. */
  isFilling?: boolean;
  children: ComponentChildren;
}

export function Page({ title, beside, lead, actions, isFilling = false, children }: PageFrameProps) {
  useEffect(() => {
    document.title = `${title} · ${shellText.product}`;
  }, [title]);
  const heading = useRef<HTMLHeadingElement>(null);
  // After going to another page its title has the focus, so that keyboard and screen reader begin there.
  useEffect(() => {
    const isTyping = document.activeElement?.matches('input, select, textarea, dialog *');
    if (hasGoneElsewhere() && !isTyping) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div class={`page ${isFilling ? 'is-filling' : ''}`}>
      <header class="page-header">
        <h1 tabIndex={-1} ref={heading}>
          {title}
        </h1>
        {beside}
        {lead && <div class="page-lead">{lead}</div>}
        {actions && <div class="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

interface PageViewsProps<Name extends string> {
  title: string;
  /** Where the page is; its first view has no parameter. */
  path: string;
  label: string;
  names: Record<Name, string>;
  views: Record<Name, ComponentType>;
}

/** A page of several views, with links to them below its title. */
export function PageViews<Name extends string>({ title, path, label, names, views }: PageViewsProps<Name>) {
  const all = Object.keys(views) as Name[];
  const [given] = useQueryState('view', all[0]!);
  const view = Object.hasOwn(views, given) ? (given as Name) : all[0]!;
  const View: ComponentType = views[view];
  return (
    <Page title={title}>
      <nav class="view-links" aria-label={label}>
        {all.map((name, index) => (
          <a
            key={name}
            href={index === 0 ? path : `${path}?view=${name}`}
            aria-current={name === view ? 'page' : undefined}
          >
            {names[name]}
          </a>
        ))}
      </nav>
      <View />
    </Page>
  );
}

/** What is not there, such as after its address was mistyped. */
export function UnknownPage({ title, back, unknown, words, links = [] }: UnknownPageProps) {
  return (
    <Page title={title} beside={back}>
      <EmptyState title={unknown} actions={links.length > 0 && links}>
        {words}
      </EmptyState>
    </Page>
  );
}

interface UnknownPageProps {
  title: string;
  back: ComponentChildren;
  unknown: string;
  words: string;
  /** What may have been meant. */
  links?: ComponentChildren[];
}

interface CardProps {
  title: ComponentChildren;
  /** Further classes; default: its parts stand apart. */
  look?: string;
  label?: string;
  children: ComponentChildren;
}

export function Card({ title, look = 'stack', label, children }: CardProps) {
  return (
    <section class={`card ${look}`} aria-label={label}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

type Fact = readonly [name: string, value: ComponentChildren, look?: string];

interface FactsProps {
  /** Those without a value are left out. */
  rows: readonly (Fact | false | '' | null | undefined)[];
  look?: string;
  label?: string;
}

/** Names with their values. */
export function Facts({ rows, look = 'facts', label }: FactsProps) {
  return (
    <dl class={look} aria-label={label}>
      {rows.map((row, index) => {
        if (!row) return null;
        const [name, value, valueLook] = row;
        return (
          // Names need not differ: two metrics may have one label.
          <Fragment key={index}>
            <dt>{name}</dt>
            <dd class={valueLook}>{value}</dd>
          </Fragment>
        );
      })}
    </dl>
  );
}

/** With a class where the column has one; false: there is no such column. */
type ColumnTitle = string | readonly [title: string, look: string] | false;

interface PlainTableProps {
  look: string;
  caption?: string;
  titles: readonly ColumnTitle[];
  /** Cells in the order of the titles. */
  rows: readonly (readonly ComponentChildren[])[];
  /** The first cell of a row says what the row is about. */
  hasRowHeads?: boolean;
}

/** Few rows, all drawn, in the order in which they are given. */
export function PlainTable({ look, caption, titles, rows, hasRowHeads = false }: PlainTableProps) {
  return (
    <table class={look}>
      {caption && <caption>{caption}</caption>}
      <TableHead titles={titles} />
      <tbody>
        {rows.map((cells, row) => (
          <tr key={row}>
            {titles.map((title, place) => {
              if (title === false) return null;
              const [Cell, scope] = hasRowHeads && place === 0 ? (['th', 'row'] as const) : (['td'] as const);
              return (
                <Cell
                  key={place}
                  scope={scope}
                  class={typeof title === 'string' ? undefined : title[1]}
                  children={cells[place]}
                />
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function TableHead({ titles }: Pick<PlainTableProps, 'titles'>) {
  return (
    <thead>
      <tr>
        {titles.map((each) => {
          const [title, look] = typeof each === 'string' ? [each] : each || [];
          return title === undefined ? null : (
            <th key={title} scope="col" class={look}>
              {title}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
