import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineModule } from 'erace'

/**
 * Reports broken links with the pages that contain them: missing pages, servers that don't answer, redirect loops.
 * It receives all answers, including errors and redirects. Links that the crawl doesn't follow (other hosts) are not checked;
 * `--restrict .` with `--depth` makes it check those, too.
 */
type State = {
  /** The pages that contain a link, by its target. */
  containing: Map<string, string[]>
  broken: Map<string, string>
  redirects: Map<string, string>
}

let state: State = { containing: new Map(), broken: new Map(), redirects: new Map() }
const MAX_PAGES_NAMED = 100

export default defineModule<State>({
  name: 'link-checker',
  answers: 'all',
  async process(page) {
    if (page.kind === 'redirect') state.redirects.set(page.url, page.location)
    else if (page.kind === 'error') state.broken.set(page.url, page.status > 0 ? String(page.status) : page.reason)
    if (page.type !== 'text/html') return
    for (const link of await page.links()) {
      const target = link.replace(/#.*/s, '')
      const pages = state.containing.get(target) ?? []
      if (!pages.includes(page.url) && pages.length < MAX_PAGES_NAMED) pages.push(page.url)
      state.containing.set(target, pages)
    }
  },
  snapshot: () => state,
  restore(kept) {
    state = kept
  },
  end({ folder }) {
    const found = [...state.containing.keys()].flatMap((target) => {
      const why = problemOf(target)
      return why === null ? [] : [{ target, why }]
    })
    found.sort((a, b) => a.target.localeCompare(b.target))
    const lines = found.flatMap(({ target, why }) => [
      `${target} (${why})\n`,
      ...state.containing
        .get(target)!
        .sort()
        .map((page) => `  on ${page}\n`),
    ])
    writeFileSync(join(folder(), 'broken-links.txt'), lines.join(''))
    return { broken: found.length }
  },
})

/** Follows redirects that the crawl has seen; null if the link is good or unknown. */
function problemOf(target: string): string | null {
  const passed = new Set<string>()
  for (let url = target; ; ) {
    if (passed.has(url)) return 'redirects in a circle'
    passed.add(url)
    const why = state.broken.get(url)
    if (why !== undefined) return passed.size === 1 ? why : `redirects to ${url}: ${why}`
    const next = state.redirects.get(url)
    if (next === undefined) return null
    url = next
  }
}
