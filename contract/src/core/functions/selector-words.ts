// Selectors as text: in their own language, and in words for people.
import { isGlob } from './glob.ts';
import { printWord, type SelectorNode, type SelectorOperator, type SelectorTerm } from './selector-syntax.ts';

/** Parsed again it is the same tree. */
export function printSelector(node: SelectorNode): string {
  if (node.kind === 'all') return '';
  if (node.kind === 'metric') return `${printWord(node.metric)}${node.operator}${node.value}`;
  if (node.kind === 'label') return `${node.key}:${printWord(node.value)}`;
  if (node.kind === 'not') return `-${printPart(node.node)}`;
  return node.nodes.map(printPart).join(node.kind === 'and' ? ' ' : ' or ');
}

function printPart(node: SelectorNode): string {
  return node.kind === 'and' || node.kind === 'or' ? `(${printSelector(node)})` : printSelector(node);
}

/** Ends the sentence "access points that ...". */
export function describeNode(node: SelectorNode): string {
  if (node.kind === 'and') return node.nodes.map(describePart).join(' and ');
  if (node.kind === 'or') return node.nodes.map(describePart).join(' or ');
  if (node.kind === 'not') return describeNot(node.node);
  return node.kind === 'all' ? 'exist' : describeTerm(node, false);
}

function describePart(node: SelectorNode): string {
  return node.kind === 'and' || node.kind === 'or' ? `(${describeNode(node)})` : describeNode(node);
}

function describeNot(node: SelectorNode): string {
  if (node.kind === 'label' || node.kind === 'metric') return describeTerm(node, true);
  return `do not match (${describeNode(node)})`;
}

function describeTerm(term: SelectorTerm, isNot: boolean): string {
  if (term.kind === 'metric') {
    return `${isNot ? 'do not have' : 'have'} ${term.metric} ${inWords[term.operator]} ${term.value}`;
  }
  const { key, value } = term;
  const are = isNot ? 'are not' : 'are';
  switch (key) {
    case 'site':
      return `${are} ${siteInWords(value)}`;
    case 'tag':
      return `${are} tagged ${like(value)}`;
    case 'name':
      return `${are} named ${like(value)}`;
    case 'type':
      return `${are} of type ${value}`;
    case 'state':
      return `${are} ${stateInWords[value] ?? value}`;
    case 'health':
      return `${isNot ? 'do not have' : 'have'} ${value} health`;
    case 'power':
      return `${isNot ? 'do not have' : 'have'} the power state ${value}`;
    case 'config':
      return `${isNot ? 'do not have' : 'have'} the configuration state ${value}`;
    case 'emulated':
      return (value === 'true') === isNot ? 'are real' : 'are emulated';
  }
}

const stateInWords: Record<string, string> = {
  never: 'without a report yet',
  ended: 'emulated by a run that has ended',
};

const inWords: Record<SelectorOperator, string> = {
  '<': 'below',
  '<=': 'of at most',
  '>': 'above',
  '>=': 'of at least',
  '=': 'of exactly',
  '!=': 'other than',
};

function siteInWords(pattern: string): string {
  if (pattern === '**') return 'in a site';
  if (!isGlob(pattern)) return `in the site ${pattern} itself`;
  const above = pattern.slice(0, pattern.lastIndexOf('/'));
  if (pattern.endsWith('/**') && !isGlob(above)) return `in the site ${above} or below it`;
  if (pattern.endsWith('/*') && !isGlob(above)) return `in a site directly below ${above}`;
  return `in a site like ${pattern}`;
}

function like(value: string): string {
  return isGlob(value) ? `like ${value}` : value;
}
