import type { TextBody } from '../../archive/body-reader.ts'
import type { StatsTable } from '../../core/reports/stats-report.ts'
import { readBlocks, textOfBlocks } from '../../core/text/blocks.ts'
import { createNearDuplicateIndex } from '../../matching/near-duplicate/near-duplicate-index.ts'
import { readDocument } from '../../matching/terms/document-terms.ts'
import type { Version } from '../../store/contracts/versions.ts'
import { createDistribution, createTally, powersOfTwo, rangeName } from './tally.ts'

/** The beginning of a text is enough to detect its language. */
const MAX_TEXT_CHARS = 200_000
/** Fewer words are too ambiguous to detect a language. */
const MIN_WORDS = 10
const MAX_TARGETS = 1_000_000

/** Statistics that need the content of versions: server, language, near-duplicates, links. */
export function createContentStats() {
  const servers = createTally()
  const languages = createTally()
  const outDegrees = createDistribution(powersOfTwo(12), rangeName)
  const near = createNearDuplicateIndex()
  const linked = new Map<string, number>()
  const found = { near: 0, compared: 0 }

  function readText(version: Version, body: Uint8Array, contentType: string | undefined): void {
    const blocks = readBlocks(body, { contentType })
    if (blocks === null) return
    const text = textOfBlocks(blocks)
    const terms = readDocument({ url: version.url, title: version.title, text: text.slice(0, MAX_TEXT_CHARS) })
    languages.add((terms.tokens >= MIN_WORDS && terms.language) || 'unknown')
    const first = near.add(version.id, { host: URL.parse(version.url)?.host ?? '', texts: blocks.blocks })
    if (first === null) return
    found.compared++
    if (first !== version.id) found.near++
  }

  function tables(): StatsTable[] {
    const inDegrees = createDistribution(powersOfTwo(20).slice(1), rangeName, 1)
    for (const links of linked.values()) inDegrees.add(links)
    return [
      servers.table({
        id: 'servers',
        title: 'Servers',
        note: 'by the header Server, without versions; of the versions read',
      }),
      languages.table({ id: 'languages', title: 'Languages', note: 'by their most frequent words; of the texts read' }),
      outDegrees.table({ id: 'outDegrees', title: 'Links of a page', note: 'of the pages read' }),
      inDegrees.table({
        id: 'inDegrees',
        title: 'Links to a URL',
        note: 'URLs by the links to them, from the pages read',
      }),
    ]
  }

  return {
    add(version: Version, body: TextBody, links: readonly string[]): void {
      if (body.kind === 'body') {
        servers.add(serverOf(body.header))
        readText(version, body.body, body.contentType)
      }
      outDegrees.add(links.length)
      for (const url of new Set(links)) {
        const known = linked.get(url)
        if (known !== undefined || linked.size < MAX_TARGETS) linked.set(url, (known ?? 0) + 1)
      }
    },
    duplicates: () => found,
    tables,
  }
}

/** `nginx/1.25.3 (Ubuntu)` becomes `nginx`. */
function serverOf(header: string): string {
  const value = /^server:[ \t]*([^\r\n]{1,200})/im.exec(header)?.[1] ?? ''
  return value.split(/[/(]/, 1)[0]!.trim().slice(0, 60) || 'not named'
}
