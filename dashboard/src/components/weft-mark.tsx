// The mark: three threads, one for each technology, woven into one fabric.

export function WeftMark({ size = 28 }: { size?: number }) {
  return (
    <svg
      class="weft-mark"
      width={size}
      height={size}
      viewBox="0 0 32 32"
      fill="none"
      stroke-width="5"
      stroke-linecap="round"
      aria-hidden="true"
    >
      <path stroke="var(--tech-5g)" d="M4 8h24" />
      <path stroke="var(--tech-wifi)" d="M4 16h24" />
      <path stroke="var(--tech-lifi)" d="M4 24h24" />
      <path stroke="var(--ink-faint)" d="M11 3.5v.01M11 12.5v7M11 28.5v.01M21 4v7M21 21v7.5" />
    </svg>
  );
}
