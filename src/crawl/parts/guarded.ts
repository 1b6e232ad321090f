/** Notes a fault of a part loaded from a file: it is logged and counted, and the crawl continues with the built-in part. */
export type PartFaults = { note(part: string, error: unknown): void }

/** Logs the first fault of each part, and counts all of them. */
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

/** Returns the value of `work` if it is valid. Otherwise, or if `work` throws, notes the fault and returns the value of `fallback`. */
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
