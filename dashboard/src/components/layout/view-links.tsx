// The views of one page, as links below its title.
import './view-links.css';

interface ViewLinksProps {
  label: string;
  views: readonly { href: string; label: string; isCurrent: boolean }[];
}

export function ViewLinks({ label, views }: ViewLinksProps) {
  return (
    <nav class="view-links" aria-label={label}>
      {views.map(({ href, label: name, isCurrent }) => (
        <a key={href} href={href} aria-current={isCurrent ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}
