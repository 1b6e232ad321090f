import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineModule } from 'erace'

/** Counts how often each HTML element occurs. */
let counts = new Map<string, number>()

export default defineModule<Map<string, number>>({
  name: 'tag-counter',
  types: ['text/html', 'application/xhtml+xml'],
  async process(page) {
    const html = new TextDecoder().decode(await page.body.bytes())
    for (const [, tag = ''] of html.matchAll(/<([a-z][a-z0-9-]*)/gi)) {
      const name = tag.toLowerCase()
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
  },
  // An interrupted crawl resumes with these counts.
  snapshot: () => counts,
  restore(state) {
    counts = state
  },
  end({ folder }) {
    const sorted = [...counts].sort(([a, n], [b, m]) => m - n || a.localeCompare(b))
    writeFileSync(join(folder(), 'tags.txt'), sorted.map(([tag, n]) => `${n} ${tag}\n`).join(''))
    return Object.fromEntries(sorted.slice(0, 10))
  },
})
