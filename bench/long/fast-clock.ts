/**
 * Loaded by a process and each of its threads before their own modules: both clocks run `BENCH_CLOCK_SPEED` times as fast, the wall clock
 * from the moment `BENCH_CLOCK_SINCE` on. Timers of a minute or more, such as those of collections, run fast too. Shorter ones keep to
 * real time: most of them are time-outs and pulses, which would end a request or a thread that only had to wait for the processor.
 */
const speed = Number(process.env.BENCH_CLOCK_SPEED)
const sinceMs = Number(process.env.BENCH_CLOCK_SINCE)
const LONG_MS = 60_000

const realNow = Date.now
const realMonotonic = performance.now.bind(performance)
Date.now = () => Math.round(sinceMs + (realNow() - sinceMs) * speed)
performance.now = () => realMonotonic() * speed

/** The first argument is what to call, the second the time. */
const withFastTimes = <T extends typeof setTimeout | typeof setInterval>(start: T): T =>
  new Proxy(start, {
    apply(target, self, [work, ms, ...rest]) {
      return Reflect.apply(target, self, [work, ms >= LONG_MS ? ms / speed : ms, ...rest])
    },
  })

globalThis.setTimeout = withFastTimes(setTimeout)
globalThis.setInterval = withFastTimes(setInterval)
