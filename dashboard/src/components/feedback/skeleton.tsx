// The shape of what is coming. Shown only once waiting has taken 300 ms, so that quick answers do not flicker.
import { componentText } from '../../text/components.ts';
import './skeleton.css';

interface SkeletonProps {
  /** As CSS lengths. */
  width?: string;
  height?: string;
}

export function Skeleton({ width = '100%', height = '16px' }: SkeletonProps) {
  return <span class="skeleton" style={{ width, height }} aria-hidden="true" />;
}

export function SkeletonLines({ count = 3 }: { count?: number }) {
  return (
    <div class="skeleton-lines" role="status" aria-label={componentText.loading}>
      {Array.from({ length: count }, (_, index) => (
        <Skeleton key={index} width={`${96 - ((index * 37) % 45)}%`} />
      ))}
    </div>
  );
}

/** A page that has not come yet: its title, a row of cards, a large one. */
export function PageSkeleton() {
  return (
    <div class="page-skeleton" role="status" aria-label={componentText.loading}>
      <Skeleton width="160px" height="28px" />
      <div class="row">
        {Array.from({ length: 4 }, (_, index) => (
          <Skeleton key={index} height="88px" />
        ))}
      </div>
      <Skeleton height="320px" />
    </div>
  );
}
