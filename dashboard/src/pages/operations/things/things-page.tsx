// A list of sites, to see what a page costs.
import { Loading } from '../../../components/feedback.tsx';
import { Page } from '../../../components/page.tsx';
import { useOperation } from '../../../data/use-operation.ts';
import type { PageProps } from '../../../router/location.ts';

export function ThingsPage({ title }: PageProps) {
  const { data, failure } = useOperation('list_sites', { query: { limit: 10 } });
  return (
    <Page title={title}>
      <Loading data={data} failure={failure} again="list_sites" lines={8} />
      {data?.items.map(({ path, name }) => (
        <p key={path}>{name}</p>
      ))}
    </Page>
  );
}
