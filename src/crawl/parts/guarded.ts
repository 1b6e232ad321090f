/** Notes a fault of a part that a file brought: it is named and counted, and the crawl goes on with the built-in one. */
export type PartFaults = { note(part: string, error: unknown): void }

/** Each part is logged once; the count says how often. */
export function createPartFaults(log: (level: 'warn', message: string, fields: Record<string, unknown>) => void) {
  const counts = new Map<string, number>()
  return {
    note(part: string, error: unknown): void {
      const before = counts.get(part) ?? 0
      counts.set(part, before + 1)
      const message = error instanceof Error ? error.message : String(error)
      if (before === 0)
        log('warn', `the part ${part} failed, the built-in one goes on`, { part, error: message.slice(0, 500) })
    },
    counts: (): Record<string, number> => Object.fromEntries(counts),
  }
}

/** What `work` returns if `isValid`; otherwise, and if it throws, the fault is noted and `fallback` answers. */
export function guarded<T>(
  part: string,
  faults: PartFaults,
  { work, isValid, fallback }: { work(): unknown; isValid(value: unknown): value is T; fallback(): T },
): T {
  try {
    const value = work()
    if (isValid(value)) return value
    faults.note(part, new TypeError(`returned ${typeof value}, which is not what was asked for`))
  } catch (error) {
    faults.note(part, error)
  }
  return fallback()
}
