/** Drawn on a 24-unit grid with strokes only, so that they follow the colour and size of the text beside them. */
const drawings = {
  inbox: 'M4 13 6.5 5h11L20 13v6H4zM4 13h4.5l1.5 2.5h4l1.5-2.5H20',
  watches: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z',
  profiles:
    'M4 7h9M17 7h3M4 17h3M11 17h9M15 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM9 19.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5 20 20',
  activity: 'M3 12.5h4l3-8 4.5 15 2.5-7h4',
  settings:
    'M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM12 3v2.5M12 18.5V21M3 12h2.5M18.5 12H21M5.6 5.6l1.8 1.8M16.6 16.6l1.8 1.8M5.6 18.4l1.8-1.8M16.6 7.4l1.8-1.8',
  star: 'm12 4 2.4 5.1 5.6.7-4.1 3.8 1.1 5.5-5-2.8-5 2.8 1.1-5.5L4 9.8l5.6-.7z',
  archive: 'M4 5h16v4H4zM5.5 9v10h13V9M10 13h4',
  unarchive: 'M4 5h16v4H4zM5.5 9v10h13V9M12 17v-5M9.5 14.5 12 12l2.5 2.5',
  read: 'M3.5 10 12 4l8.5 6v9.5h-17zM3.5 10l8.5 5.5 8.5-5.5',
  unread: 'M3.5 6h17v12.5h-17zM3.5 6.5 12 13l8.5-6.5',
  undo: 'M8 5 4 9l4 4M4 9h9.5a5.5 5.5 0 0 1 0 11H9',
  external: 'M13 4h7v7M20 4l-9 9M17.5 14v5.5h-13v-13H10',
  diff: 'M12 4v8M8 8h8M8 18h8',
  cached: 'M6 3.5h8l4.5 4.5v12.5H6zM14 3.5V8h4.5M9 12.5h6M9 16h6',
  back: 'M11 5 4 12l7 7M4 12h16',
  left: 'm14.5 5-7 7 7 7',
  right: 'm9.5 5 7 7-7 7',
  up: 'm5 14.5 7-7 7 7',
  down: 'm5 9.5 7 7 7-7',
  close: 'M6 6l12 12M18 6 6 18',
  check: 'm5 12.5 4.5 4.5L19 7',
  plus: 'M12 5v14M5 12h14',
  minus: 'M5 12h14',
  more: 'M5.5 12h.01M12 12h.01M18.5 12h.01',
  refresh: 'M20 5v5h-5M19.5 10A8 8 0 1 0 20 14',
  pause: 'M8 5.5v13M16 5.5v13',
  play: 'M7.5 5v14l11-7z',
  mute: 'M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM16 9.5l5 5M21 9.5l-5 5',
  unmute: 'M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM16 9a4.5 4.5 0 0 1 0 6M18.5 6.5a8 8 0 0 1 0 11',
  warning: 'M12 4 2.5 19.5h19zM12 10v4.5M12 17.2v.01',
  info: 'M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17zM12 11v5.5M12 7.8v.01',
  copy: 'M8.5 8.5h11v11h-11zM15.5 8.5v-4h-11v11h4',
  trash: 'M4.5 6.5h15M9 6.5V4h6v2.5M6.5 6.5 7.5 20h9l1-13.5M10 10.5v5.5M14 10.5v5.5',
  edit: 'm4 20 1-4.5L16 4.5l3.5 3.5-11 11zM13.5 7l3.5 3.5',
  filter: 'M4 5.5h16l-6.2 7.3v6.7l-3.6-2v-4.7z',
  download: 'M12 4v11M7.5 10.5 12 15l4.5-4.5M5 19.5h14',
  upload: 'M12 15V4M7.5 8.5 12 4l4.5 4.5M5 19.5h14',
  link: 'M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1.2 1.2M14 10a4 4 0 0 0-5.7 0l-3 3A4 4 0 0 0 11 18.7l1.2-1.2',
  user: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5c.8-4 3.7-6 7.5-6s6.7 2 7.5 6',
  signOut: 'M14 4.5H5v15h9M10 12h10.5M17 8.5l3.5 3.5-3.5 3.5',
  clock: 'M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17zM12 7v5l3.5 2',
  globe:
    'M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17zM3.5 12h17M12 3.5c2.5 2.3 3.8 5.2 3.8 8.5s-1.3 6.2-3.8 8.5c-2.5-2.3-3.8-5.2-3.8-8.5S9.5 5.8 12 3.5z',
  offline:
    'M3 3l18 18M8.5 15.5a5 5 0 0 1 5-1M5 12a10 10 0 0 1 4-2.3M2.5 8.5A14 14 0 0 1 7 5.8M12 5a14 14 0 0 1 9.5 3.5M15 9.7a10 10 0 0 1 4 2.3M12 19v.01',
  keyboard: 'M3 6.5h18v11H3zM6.5 10h.01M10 10h.01M13.5 10h.01M17 10h.01M8 14h8',
} as const

export type IconName = keyof typeof drawings
type Props = { name: IconName; filled?: boolean; size?: number }

/** Sizes are for the default text size and scale with it. */
const ROOT_PX = 16

/** Hidden from screen readers: the surrounding element carries the label. */
export function Icon({ name, filled = false, size = 20 }: Props) {
  return (
    <svg
      className="kit-icon"
      viewBox="0 0 24 24"
      width={`${size / ROOT_PX}rem`}
      height={`${size / ROOT_PX}rem`}
      fill={filled ? 'currentColor' : 'none'}
      stroke="currentColor"
      strokeWidth={name === 'more' ? 3 : 1.7}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={drawings[name]} />
    </svg>
  )
}

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
