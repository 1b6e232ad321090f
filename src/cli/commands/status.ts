import type { LastCollection } from '../../core/reports/gc-report.ts'
import type { StatusReport } from '../../core/reports/status-report.ts'
import { refuseWords } from '../args/values.ts'
import { type Command, exitCodes } from '../command.ts'
import type { Target } from '../engine.ts'
import { columns, formatCount, formatSize, printable } from '../output/terminal-text.ts'

export const command: Command = {
  name: 'status',
  group: 'Archive',
  summary: 'show the frontier, hosts, documents, disk usage and last outcomes',
  usage: '',
  options: [
    { name: 'retry-tasks', about: 'process versions again that were set aside because they could not be processed' },
  ],
  examples: [{ line: 'erace status --data ./erace-data', about: 'progress of a crawl' }],
  async prepare({ positionals, options, target, engine, io, json }, errors) {
    refuseWords(positionals, 'status takes no arguments', errors)
    return async () => {
      if (options.flag('retry-tasks')) {
        const retried = await engine.retryTasks(target)
        io.stderr.write(`${retried === 1 ? '1 version' : `${formatCount(retried)} versions`} will be processed again\n`)
      }
      const report = await engine.status(target)
      io.stdout.write(json ? `${JSON.stringify(report)}\n` : statusTable(targetName(target), report))
      return exitCodes.done
    }
  },
}

function statusTable(where: string, report: StatusReport): string {
  const { watching, sources, frontier, documents, disk, lastRun, lastCollection, lastOutcomes, setAside } = report
  const { channels } = report
  const run =
    lastRun === null
      ? 'no crawl yet'
      : `crawl ${lastRun.id}, started ${lastRun.startedAt}, ${lastRun.finishedAt === null ? 'not finished' : `finished ${lastRun.finishedAt}`}`
  const lines = [
    `${where}: ${run}`,
    ...columns([
      ...(watching.profiles === 0 ? [] : watchingRows(watching)),
      ...(channels.channels === 0 ? [] : channelRows(channels)),
      ['URLs queued', formatCount(frontier.queued)],
      ['URLs seen', formatCount(frontier.seen)],
      ['hosts', formatCount(frontier.hosts)],
      ['hosts backing off', formatCount(frontier.hostsResting)],
      ['hosts given up', formatCount(frontier.hostsGivenUp)],
      ['documents', formatCount(documents.documents)],
      ['versions', formatCount(documents.versions)],
      ['bodies', formatCount(documents.bodies)],
      ['archive files', formatCount(disk.archiveFiles)],
      ['archive size', formatSize(disk.archiveBytes)],
      ['database size', formatSize(disk.databaseBytes)],
      ['disk free', disk.freeBytes === null ? 'unknown' : formatSize(disk.freeBytes)],
    ]),
  ]
  if (lastCollection !== null) lines.push('', `Last collection: ${collectionText(lastCollection)}`)
  if (setAside.count > 0) {
    const shown = setAside.latest.length < setAside.count ? ', the latest' : ''
    lines.push(
      '',
      `Set aside: ${formatCount(setAside.count)} could not be processed (--retry-tasks tries again)${shown}`,
    )
    for (const { at, url, reason } of setAside.latest)
      lines.push(`  ${at}  ${printable(url, 200)}: ${printable(reason, 200)}`)
  }
  if (sources.length > 0) {
    lines.push('', 'Last checked sources')
    for (const { uri, outcome, status, checkedAt } of sources)
      lines.push(
        `  ${checkedAt ?? '-'}  ${printable(outcome, 40)}${status === 0 ? '' : ` ${status}`}  ${printable(uri, 200)}`,
      )
  }
  if (lastOutcomes.length > 0) {
    lines.push('', 'Last outcomes')
    for (const { at, outcome, url } of lastOutcomes)
      lines.push(`  ${at}  ${printable(outcome, 40)}  ${printable(url, 200)}`)
  }
  return `${lines.join('\n')}\n`
}

function channelRows({ channels, failing, waiting }: StatusReport['channels']): string[][] {
  return [
    ['channels', formatCount(channels)],
    ['channels failing', formatCount(failing)],
    ['waiting for delivery', formatCount(waiting)],
  ]
}

function collectionText({ startedAt, state, seconds, versions, bytes, error }: LastCollection): string {
  const result = `${formatCount(versions)} versions removed (${formatSize(bytes)}) in ${seconds} s`
  if (state === 'running') return `${startedAt}, running`
  if (state === 'failed') return `${startedAt}, failed: ${printable(error ?? '', 200)}`
  return `${startedAt}, ${result}${state === 'interrupted' ? ', interrupted' : ''}`
}

function watchingRows({ profiles, sources, tasks, annotations }: StatusReport['watching']): [string, string][] {
  return [
    ['profiles', formatCount(profiles)],
    ['sources watched', formatCount(sources)],
    ['versions to process', formatCount(tasks)],
    ['annotations', formatCount(annotations)],
  ]
}

/** The data folder, or the shared store without user and password. */
function targetName({ dataDir, store }: Pick<Target, 'dataDir' | 'store'>): string {
  if (store === null) return dataDir
  const url = URL.parse(store)
  return url === null ? 'the shared store' : `${url.protocol}//${url.host}${url.pathname}`
}
