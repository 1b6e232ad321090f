/** Running totals of the last seconds, for rates that do not jump with every page. */
export function createRateWindow<Name extends string>(names: readonly Name[], windowMs: number) {
  type Sample = { at: number; totals: Record<Name, number> }
  let samples: Sample[] = []

  return {
    add(at: number, totals: Record<Name, number>): void {
      samples.push({ at, totals })
      // The last one from before the window stays: rates are told from its end on.
      const first = samples.findLastIndex((sample) => sample.at <= at - windowMs)
      if (first > 0) samples = samples.slice(first)
    },
    /** Per second; nothing while there are no two moments to compare. */
    rates(): Record<Name, number> {
      const oldest = samples[0]
      const newest = samples.at(-1)
      const seconds = oldest === undefined || newest === undefined ? 0 : (newest.at - oldest.at) / 1000
      const rate = (name: Name): number =>
        seconds <= 0 ? 0 : Math.max(0, (newest!.totals[name] - oldest!.totals[name]) / seconds)
      return Object.fromEntries(names.map((name) => [name, rate(name)])) as Record<Name, number>
    },
  }
}
