import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { escapeHtml } from '../../src/core/html/escape.ts'

/** A real text as a page: its HTML blocks in order. */
export type BenchDocument = { readonly name: string; readonly title: string; readonly blocks: readonly string[] }

const MIN_BLOCKS = 12
const MAX_BLOCKS = 80
const places = ['README.md', 'readme.md', 'LICENSE', 'LICENSE.md', 'LICENSE.txt', 'CHANGELOG.md', 'copyright', 'README']

/** Readmes and licences of installed packages: always available, and unlike our own examples. */
export function readDocuments(count: number): BenchDocument[] {
  const found: BenchDocument[] = []
  const seen = new Set<string>()
  const roots = ['node_modules', '/usr/share/doc'].filter((root) => existsSync(root))
  const files = roots.flatMap((root) =>
    readdirSync(root)
      .sort()
      .flatMap((name) => places.map((place) => join(root, name, place))),
  )
  // Sample from the whole list, since neighbours are often alike.
  for (let step = 0; step < files.length && found.length < count; step++) {
    const file = files[(step * 101) % files.length]!
    if (!existsSync(file) || !statSync(file).isFile()) continue
    const text = readFileSync(file, 'utf8')
    const blocks = blocksOf(text).slice(0, MAX_BLOCKS)
    if (blocks.length < MIN_BLOCKS || seen.has(blocks.slice(1, 4).join())) continue
    seen.add(blocks.slice(1, 4).join())
    found.push({
      name: file,
      title: text
        .trim()
        .split('\n')[0]!
        .slice(0, 80)
        .replace(/^#+\s*/, ''),
      blocks,
    })
  }
  return found
}

/** Converts headings, lists and paragraphs; other Markdown stays as it is. */
function blocksOf(text: string): string[] {
  return text
    .split(/\n\s*\n/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const heading = /^(#{1,4})\s+(.*)$/.exec(part)
      if (heading !== null) return `<h${heading[1]!.length}>${escapeHtml(heading[2]!)}</h${heading[1]!.length}>`
      const lines = part.split('\n')
      if (lines.every((line) => /^\s*[-*+]\s/.test(line)))
        return `<ul>${lines.map((line) => `<li>${escapeHtml(line.replace(/^\s*[-*+]\s/, ''))}</li>`).join('')}</ul>`
      return `<p>${escapeHtml(part)}</p>`
    })
}

export function pageOf({ title, blocks }: Pick<BenchDocument, 'title' | 'blocks'>, footer = ''): string {
  const top = '<header class="site"><nav><a href="/">Home</a> <a href="/about">About</a></nav></header>'
  const name = escapeHtml(title)
  return `<!doctype html><html><head><title>${name}</title></head><body>${top}<main id="content"><h1>${name}</h1>
${blocks.join('\n')}
</main><footer><p>Contact us by mail.</p>${footer}</footer></body></html>`
}
