import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const part = new URL('../../../src/crawl/parts/part.ts', import.meta.url).href

/** User-written modules by file name. Each behaves correctly except as its name says. */
const sources = {
  'counts.ts': `
let seen = [] as string[]
export default defineModule<string[]>({
  name: 'counts',
  types: ['text/html'],
  process(page) { seen.push(new URL(page.url).pathname) },
  snapshot: () => seen,
  restore(state) { seen = state },
  end: () => seen,
})`,
  'throws.ts': `
export default defineModule({
  name: 'throws',
  process(page) { if (page.url.endsWith('/page/3.html')) throw new Error('no threes') },
})`,
  'loops.ts': `
let pages = 0
export default defineModule<number>({
  name: 'loops',
  process(page) {
    if (page.url.endsWith('/page/4.html')) for (;;) {}
    pages++
  },
  snapshot: () => pages,
  restore(state) { pages = state },
  end: () => pages,
})`,
  'leaks.ts': `
const kept: unknown[] = []
export default defineModule({
  name: 'leaks',
  process(page) {
    if (page.url.endsWith('/page/5.html')) for (;;) kept.push(new Array(10_000).fill(page.url + kept.length))
  },
})`,
  'buffers.ts': `
const kept: Buffer[] = []
export default defineModule({
  name: 'buffers',
  async process(page) {
    if (!page.url.endsWith('/page/6.html')) return
    for (;;) {
      kept.push(Buffer.alloc(4_000_000, 1))
      await new Promise((resolve) => setImmediate(resolve))
    }
  },
})`,
  'dies.ts': `
export default defineModule({
  name: 'dies',
  process() { process.exit(3) },
})`,
} as const

export type FaultyName = keyof typeof sources

/** Writes these modules into the folder; returns the settings that load them. */
export function writeModules(folder: string, names: readonly FaultyName[]): { modules: string[] } {
  for (const name of names)
    writeFileSync(join(folder, name), `import { defineModule } from ${JSON.stringify(part)}\n${sources[name]}\n`)
  return { modules: names.map((name) => `./${name}`) }
}
