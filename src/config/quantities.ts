const durationUnits: ReadonlyMap<string, number> = new Map(
  Object.entries({ '': 1, ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }),
)

const byteUnits: ReadonlyMap<string, number> = new Map(
  Object.entries({
    '': 1,
    b: 1,
    kb: 1e3,
    mb: 1e6,
    gb: 1e9,
    tb: 1e12,
    kib: 2 ** 10,
    mib: 2 ** 20,
    gib: 2 ** 30,
    tib: 2 ** 40,
  }),
)

/** `500`, `500ms`, `30s`, `1.5h`, `1d` in milliseconds. */
export function parseDuration(value: unknown): number | undefined {
  return parseQuantity(value, durationUnits)
}

/** `1000`, `100MB`, `64KiB` in bytes; decimal units are powers of 1000, the `i` ones powers of 1024. */
export function parseBytes(value: unknown): number | undefined {
  return parseQuantity(value, byteUnits)
}

function parseQuantity(value: unknown, units: ReadonlyMap<string, number>): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? Math.round(value) : undefined
  if (typeof value !== 'string' || value.length > 32) return undefined
  const match = /^(-?\d+(?:\.\d+)?) ?([a-z]*)$/i.exec(value.trim())
  if (match === null) return undefined
  const unit = units.get(match[2]!.toLowerCase())
  return unit === undefined ? undefined : Math.round(Number(match[1]) * unit)
}

/** The shortest exact spelling, for messages and documentation. */
export function formatDuration(ms: number): string {
  for (const unit of ['d', 'h', 'm', 's']) {
    if (ms !== 0 && ms % durationUnits.get(unit)! === 0) return `${ms / durationUnits.get(unit)!}${unit}`
  }
  return `${ms}ms`
}

export function formatBytes(bytes: number): string {
  for (const [unit, size] of [
    ['TB', 1e12],
    ['GB', 1e9],
    ['MB', 1e6],
    ['KB', 1e3],
  ] as const) {
    if (bytes !== 0 && bytes % size === 0) return `${bytes / size}${unit}`
  }
  return `${bytes}`
}
