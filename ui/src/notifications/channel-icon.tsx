/** Same style as the kit's icons, but in a separate file, so that the inbox doesn't load them. */
const chat = 'M4 5h16v11h-9l-4.5 3.5V16H4z'
const bell = 'M6 16.5c1.2-1.4 1.5-3 1.5-6a4.5 4.5 0 0 1 9 0c0 3 .3 4.6 1.5 6zM10 19.5c.5.9 1.2 1.2 2 1.2s1.5-.3 2-1.2'
const drawings = new Map([
  ['email', 'M3.5 6h17v12.5h-17zM3.5 6.5 12 13l8.5-6.5'],
  ['webhook', 'M8.5 12.5 12 6.8a3 3 0 1 1 2.8.4M14 10.5l3 5a3 3 0 1 1-1.8 2.3H9.8a3 3 0 1 1-3.2-3'],
  ['feed', 'M5 19h.01M5 12.5A6.5 6.5 0 0 1 11.5 19M5 6.5A12.5 12.5 0 0 1 17.5 19'],
  ['webpush', bell],
  ['ntfy', bell],
  ['gotify', bell],
  ['slack', 'M9.5 4 8 20M16 4l-1.5 16M4.5 9h16M3.5 15h16'],
  ['discord', chat],
  ['matrix', `${chat}M8.5 9h7M8.5 12h4.5`],
  ['teams', `${chat}M9 8.8h6M12 8.8v4.4`],
  ['telegram', 'M20.5 4.5 3.5 11.5l5.5 2 2 6 3-4 4 3zM9 13.5l11.5-9'],
  ['http', 'M9 4.5C6.5 4.5 7.5 11 4.5 12c3 1 2 7.5 4.5 7.5M15 4.5c2.5 0 1.5 6.5 4.5 7.5-3 1-2 7.5-4.5 7.5'],
  ['exec', 'M3.5 5h17v14h-17zM7 9.5l3 2.5-3 2.5M12.5 15h4.5'],
])

export function ChannelIcon({ kind, size = 22 }: { kind: string; size?: number }) {
  return (
    <svg
      className="kit-icon"
      viewBox="0 0 24 24"
      width={`${size / 16}rem`}
      height={`${size / 16}rem`}
      fill="none"
      stroke="currentColor"
      strokeWidth={1.7}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={drawings.get(kind) ?? bell} />
    </svg>
  )
}
