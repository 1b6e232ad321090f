import type { StatusReport } from '../../core/reports/status-report.ts'
import { placeName } from '../args/place-name.ts'
import { type Command, exitCodes } from '../command.ts'
import { columns, formatCount, formatSize, printable } from '../output/terminal-text.ts'

export const command: Command = {
  name: 'status',
  group: 'Archive',
  summary: 'show frontier, hosts, documents, disk and last outcomes',
  usage: '',
  options: [],
  examples: [{ line: 'erace status --data ./erace-data', about: 'how far a crawl has come' }],
  async prepare({ positionals, target, engine, io, json }, errors) {
    for (const word of positionals) errors.push({ place: word.slice(0, 60), message: 'status takes no arguments' })
    return async () => {
      const report = await engine.status(target)
      io.stdout.write(json ? `${JSON.stringify(report)}\n` : statusTable(placeName(target), report))
      return exitCodes.done
    }
  },
}

function statusTable(where: string, report: StatusReport): string {
  const { watching, sources, frontier, documents, disk, lastRun, lastOutcomes } = report
  const run =
    lastRun === null
      ? 'no crawl yet'
      : `crawl ${lastRun.id}, begun ${lastRun.startedAt}, ${lastRun.finishedAt === null ? 'not finished' : `finished ${lastRun.finishedAt}`}`
  const lines = [
    `${where}: ${run}`,
    ...columns([
      ...(watching.profiles === 0 ? [] : watchingRows(watching)),
      ['URLs queued', formatCount(frontier.queued)],
      ['URLs seen', formatCount(frontier.seen)],
      ['hosts', formatCount(frontier.hosts)],
      ['hosts resting', formatCount(frontier.hostsResting)],
      ['hosts given up', formatCount(frontier.hostsGivenUp)],
      ['documents', formatCount(documents.documents)],
      ['versions', formatCount(documents.versions)],
      ['bodies', formatCount(documents.bodies)],
      ['archive files', formatCount(disk.archiveFiles)],
      ['archive size', formatSize(disk.archiveBytes)],
      ['database size', formatSize(disk.databaseBytes)],
      ['disk free', disk.freeBytes === null ? 'not known' : formatSize(disk.freeBytes)],
    ]),
  ]
  if (sources.length > 0) {
    lines.push('', 'Sources checked last')
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

function watchingRows({ profiles, sources, tasks, annotations }: StatusReport['watching']): [string, string][] {
  return [
    ['profiles', formatCount(profiles)],
    ['sources watched', formatCount(sources)],
    ['to be annotated', formatCount(tasks)],
    ['annotations', formatCount(annotations)],
  ]
}
