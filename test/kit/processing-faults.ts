import type { VersionStore } from '../../src/store/contracts/versions.ts'

/** Ways in which the processing of a document can go wrong, from bad to worse. */
export type Fault = 'throws' | 'runs out of memory' | 'is stuck' | 'exits' | 'kills the process'

const faults: Record<Fault, () => void> = {
  throws() {
    throw new TypeError('it is not a function')
  },
  'runs out of memory'() {
    for (const hoard: unknown[] = []; ; ) hoard.push(Array.from({ length: 10_000 }, (_, n) => ({ n })))
  },
  'is stuck'() {
    for (;;);
  },
  exits: () => process.exit(3),
  'kills the process'() {
    process.kill(process.pid, 'SIGKILL')
    for (;;); // until the signal arrives
  },
}

/** A version store for the annotation engine that triggers the fault for versions whose URL contains `bad`. */
export function faultyVersions(versions: VersionStore, fault: Fault): VersionStore {
  return {
    ...versions,
    async version(id) {
      const version = await versions.version(id)
      if (version?.url.includes('bad')) faults[fault]()
      return version
    },
  }
}

/** Environment variables that inject this fault into an `erace` process. */
export function withFault(fault: Fault): Record<string, string> {
  const preload = new URL('./fault-preload.ts', import.meta.url).href
  return { NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${preload}`.trim(), PROCESSING_FAULT: fault }
}
