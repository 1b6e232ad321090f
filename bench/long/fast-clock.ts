/**
 * Preloaded in a process and each of its threads: both clocks run `BENCH_CLOCK_SPEED` times as fast, the wall clock from
 * `BENCH_CLOCK_SINCE` on. Timers of a minute or more, such as those of collections, run fast too. Shorter ones run in real time: most of
 * them are timeouts and heartbeats, which would end a request or a thread that was only waiting for the CPU.
 */
const speed = Number(process.env.BENCH_CLOCK_SPEED)
const sinceMs = Number(process.env.BENCH_CLOCK_SINCE)
const LONG_MS = 60_000

const realNow = Date.now
const realMonotonic = performance.now.bind(performance)
Date.now = () => Math.round(sinceMs + (realNow() - sinceMs) * speed)
performance.now = () => realMonotonic() * speed

/** Divides the delay of long timers, their second argument. */
const withFastTimes = <T extends typeof setTimeout | typeof setInterval>(start: T): T =>
  new Proxy(start, {
    apply(target, self, [work, ms, ...rest]) {
      return Reflect.apply(target, self, [work, ms >= LONG_MS ? ms / speed : ms, ...rest])
    },
  })

globalThis.setTimeout = withFastTimes(setTimeout)
globalThis.setInterval = withFastTimes(setInterval)
