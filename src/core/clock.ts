/** Time as a dependency: everything that waits or stamps takes a clock, so that tests turn it by hand. */
export type Clock = {
  /** Milliseconds since 1970, as other machines see them: for stamps that are kept. May jump. */
  now(): number
  /** Milliseconds that never jump: for durations and delays within one process. */
  monotonic(): number
}

// The global is a getter, and this is asked many times for each page.
const { performance } = globalThis

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
}

export type ManualClock = Clock & { advance(ms: number): void; jump(ms: number): void }

/** A clock that stands still until a test moves it. `jump` moves the wall clock alone, as an operator or NTP would. */
export function createManualClock(startMs = Date.UTC(2026, 0, 1)): ManualClock {
  let wall = startMs
  let steady = 0
  return {
    now: () => wall,
    monotonic: () => steady,
    advance(ms) {
      wall += ms
      steady += ms
    },
    jump(ms) {
      wall += ms
    },
  }
}
