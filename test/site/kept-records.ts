import { createReadStream, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { WARCParser } from 'warcio'

/** What the archive holds of a URL. A revisit says that the same body is kept under another. */
export type KeptRecord = { type: 'response' | 'revisit'; truncated: string | null }

/** The kept records by URL; where there are several, the last. */
export async function readKept(data: string): Promise<Map<string, KeptRecord>> {
  const kept = new Map<string, KeptRecord>()
  const folder = join(data, 'archive')
  for (const name of readdirSync(folder)) {
    for await (const record of new WARCParser(createReadStream(join(folder, name)), { parseHttp: false })) {
      await record.skipFully()
      const type = record.warcType
      const truncated = record.warcHeaders.headers.get('WARC-Truncated') ?? null
      if (type === 'response' || type === 'revisit') kept.set(record.warcTargetURI ?? '', { type, truncated })
    }
  }
  return kept
}
