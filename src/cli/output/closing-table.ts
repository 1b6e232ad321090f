import type { CrawlResult } from '../../core/reports/crawl-report.ts'
import type { ModuleReport } from '../../core/reports/module-report.ts'
import { columns, formatCount, formatSize, formatSpan, printable } from './terminal-text.ts'

const MAX_ROWS = 10

/** The summary printed after a crawl. Empty sections are left out. */
export function closingTable(result: CrawlResult): string {
  const { details } = result
  const sections = [
    section(headline(result), totals(result)),
    section('Random walk', walkRows(details.walk)),
    section(
      'Most visited pages (all: erace export walk FILE)',
      (details.walk?.top ?? []).map(({ url, visits }) => [printable(url), formatCount(visits)]),
    ),
    section('Skipped', countRows(result.skipped)),
    section('Status codes', countRows(details.statusCodes)),
    section('Media types', countRows(details.mediaTypes)),
    section('Failures', countRows(details.failures)),
    section(
      'Failed URLs (all: erace export bad-urls FILE)',
      details.failedUrls.map(({ url, reason }) => [printable(url), reason]),
    ),
    section('Modules', (details.modules ?? []).map(moduleRow)),
    section(
      'Pages that modules failed on',
      (details.modules ?? []).flatMap(({ name, failedOn }) =>
        failedOn.map(({ url, fault, message }) => [name, fault, printable(url || '(no page)'), printable(message)]),
      ),
    ),
    section(
      'Slowest hosts',
      details.slowestHosts.map(({ host, fetches, meanMs }) => [
        printable(host),
        `${formatCount(Math.round(meanMs))} ms`,
        `${formatCount(fetches)} requests`,
      ]),
    ),
    section(
      'Hosts backing off',
      details.restingHosts.map(({ host, failures, queued }) => [
        printable(host),
        `${formatCount(failures)} failures`,
        `${formatCount(queued)} queued`,
      ]),
    ),
    section(
      'Abandoned hosts',
      details.givenUpHosts.map(({ host, dropped }) => [printable(host), `${formatCount(dropped)} dropped`]),
    ),
  ]
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`
}

function moduleRow({ name, pages, failures, isOff }: ModuleReport): string[] {
  const faults = Object.entries(failures).filter(([, n]) => n > 0)
  const failed = faults.map(([fault, n]) => `${formatCount(n)} ${fault}`).join(', ')
  return [name, `${formatCount(pages)} pages`, failed + (isOff ? ' (switched off)' : '')]
}

function headline({ interrupted, finished, queued, seconds }: CrawlResult): string {
  const left = `${formatCount(queued)} still queued; run the same command to continue`
  const state = interrupted ? `interrupted, ${left}` : finished ? 'finished' : `reached its page limit, ${left}`
  return `Crawl ${state} (${formatSpan(seconds)})`
}

function walkRows(walk: CrawlResult['details']['walk']): string[][] {
  if (walk === undefined) return []
  const { steps, visits, pages, restarts, deadEnds } = walk
  return countRows({ steps, visits, 'different pages': pages, restarts, 'dead ends': deadEnds })
}

function totals(result: CrawlResult): string[][] {
  const rate = `${result.perSecond.toFixed(1)}/s`
  const rows: [string, number, string?][] = [
    ['fetched', result.fetched, rate],
    ['stored', result.stored, formatSize(result.bytes)],
    ['unchanged', result.unchanged],
    ['duplicates', result.duplicates],
    ['redirects', result.redirects],
    ['failed', result.failed],
    ['links found', result.links],
    ['URLs seen', result.seen],
    ['queued', result.queued],
  ]
  const table = rows.map(([name, count, note]) => [name, formatCount(count), note ?? ''])
  return [...table, ['peak memory', formatSize(result.peakRssBytes), '']]
}

/** The largest counts first. */
function countRows(counts: Readonly<Record<string, number | undefined>>): string[][] {
  return Object.entries(counts)
    .map(([name, count]): [string, number] => [name, count ?? 0])
    .filter(([, count]) => count > 0)
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .map(([name, count]) => [printable(name), formatCount(count)])
}

function section(title: string, rows: readonly string[][]): string {
  if (rows.length === 0) return ''
  const lines = columns(rows.slice(0, MAX_ROWS))
  if (rows.length > MAX_ROWS) lines.push(`  and ${formatCount(rows.length - MAX_ROWS)} more`)
  return [title, ...lines].join('\n')
}
