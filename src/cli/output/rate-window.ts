/** How far back the rate looks: long enough to be steady, short enough to show a change. */
const WINDOW_MS = 5000
const MAX_SAMPLES = 64

export type RateWindow = {
  /** Notes a growing count and returns what it grew by per second of late. */
  add(atMs: number, count: number): number
}

export function createRateWindow(): RateWindow {
  const samples: { atMs: number; count: number }[] = []
  return {
    add(atMs, count) {
      samples.push({ atMs, count })
      while (samples.length > MAX_SAMPLES || (samples.length > 2 && atMs - samples[1]!.atMs >= WINDOW_MS))
        samples.shift()
      const first = samples[0]!
      return atMs > first.atMs ? ((count - first.count) * 1000) / (atMs - first.atMs) : 0
    },
  }
}
