import type { Version } from '../../store/contracts/versions.ts'
import { readAhead } from '../read-ahead.ts'
import type { ExportWork } from './export-work.ts'
import { selectVersions } from './selection.ts'

/** One link; the version's number only where links of several versions stand together. */
type Edge = { from: string; to: string; version?: number }

type EdgeFormat = { head(withVersion: boolean): string; line(edge: Edge): string }

/**
 * The link graph, a line per link in page order. The file's name says how: `.csv` with a head that graph tools know, `.jsonl`, and
 * lines with tabs for all others; `.gz` behind it compresses.
 */
export async function exportLinks({ request, versions, target, stats }: ExportWork): Promise<void> {
  const format = formatOf(request.file)
  const withVersion = !request.selection.currentOnly
  await target.write(format.head(withVersion))
  async function* selected(): AsyncGenerator<Version> {
    for await (const version of selectVersions(versions, request.selection))
      if (version.reason !== 'gone') yield version
  }
  for await (const [version, links] of readAhead(selected(), ({ id }) => versions.links(id), {
    weigh: ({ size }) => size,
  })) {
    let text = ''
    for (const to of links) {
      const line = format.line(withVersion ? { from: version.url, to, version: version.n } : { from: version.url, to })
      stats.count(line.length)
      text += line
    }
    if (text !== '') await target.write(text)
  }
}

const tabs: EdgeFormat = {
  head: () => '',
  line: ({ from, to, version }) => `${oneField(from)}\t${oneField(to)}${version === undefined ? '' : `\t${version}`}\n`,
}

const commas: EdgeFormat = {
  head: (withVersion) => `Source,Target${withVersion ? ',Version' : ''}\n`,
  line: ({ from, to, version }) => `${quoted(from)},${quoted(to)}${version === undefined ? '' : `,${version}`}\n`,
}

const json: EdgeFormat = { head: () => '', line: (edge) => `${JSON.stringify(edge)}\n` }

function formatOf(file: string | null): EdgeFormat {
  const name = file?.replace(/\.gz$/, '') ?? ''
  if (name.endsWith('.csv')) return commas
  return /\.(?:jsonl|ndjson)$/.test(name) ? json : tabs
}

/** URLs hold no white space once they are normalised; should one, it must not make a field or a line. */
function oneField(url: string): string {
  return url.replace(/[\t\r\n]/g, (character) => encodeURIComponent(character))
}

function quoted(url: string): string {
  return /[",\r\n]/.test(url) ? `"${url.replaceAll('"', '""')}"` : url
}
