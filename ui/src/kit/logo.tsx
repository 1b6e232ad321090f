/** An eye on a page. */
export function Logo({ size = 28 }: { size?: number }) {
  return (
    <svg viewBox="0 0 32 32" width={`${size / 16}rem`} height={`${size / 16}rem`} aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" fill="var(--accent)" />
      <path
        d="M5 16s4-7 11-7 11 7 11 7-4 7-11 7S5 16 5 16z"
        fill="none"
        stroke="var(--accent-ink)"
        strokeWidth="2.2"
        strokeLinejoin="round"
      />
      <circle cx="16" cy="16" r="3.4" fill="var(--accent-ink)" />
    </svg>
  )
}
