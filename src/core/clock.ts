/** Time as a dependency: all code that waits or records times takes a clock, so that tests control it. */
export type Clock = {
  /** Milliseconds since 1970, comparable between machines: for stored timestamps. May jump. */
  now(): number
  /** Monotonic milliseconds: for durations and delays within one process. */
  monotonic(): number
}

// The global is a getter, and this is called many times per page.
const { performance } = globalThis

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
}

export type ManualClock = Clock & { advance(ms: number): void; jump(ms: number): void }

/** A clock that a test advances by hand. `jump` moves the wall clock alone, as an operator or NTP would. */
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
