// Addresses and the pages they mean.
import { describe, expect, it } from 'vitest';
import { matchRoute, valueIn } from './location.ts';

const routes = [{ path: '/' }, { path: '/agents' }, { path: '/agents/new' }, { path: '/agents/:ap_id' }];
const found = (path: string) => {
  const match = matchRoute(routes, path);
  return match && [match.route.path, match.params];
};

describe('an address', () => {
  it('means the page of its path, with and without a slash at the end', () => {
    expect(found('/')).toEqual(['/', {}]);
    expect(found('/agents')).toEqual(['/agents', {}]);
    expect(found('/agents/')).toEqual(['/agents', {}]);
  });

  it('hands on what stands for a name, decoded', () => {
    expect(found('/agents/ap-1')).toEqual(['/agents/:ap_id', { ap_id: 'ap-1' }]);
    expect(found('/agents/a%2Fb%40c')).toEqual(['/agents/:ap_id', { ap_id: 'a/b@c' }]);
  });

  it('means the first page that fits', () => {
    expect(found('/agents/new')).toEqual(['/agents/new', {}]);
  });

  it('means nothing where nothing fits or it cannot be decoded', () => {
    for (const path of ['/nothing', '/agents/a/b', '/agents/%zz', '//agents']) expect(found(path)).toBeUndefined();
  });

  it('says a list in one parameter or in several of the name', () => {
    expect(valueIn('?agent=ap-1&agent=ap-2&agent=ap-3', 'agent')).toBe('ap-1,ap-2,ap-3');
    expect(valueIn('?agent=ap-1,ap-2', 'agent')).toBe('ap-1,ap-2');
    expect(valueIn('?agent=', 'agent')).toBe('');
    expect(valueIn('?other=1', 'agent')).toBeUndefined();
  });
});
