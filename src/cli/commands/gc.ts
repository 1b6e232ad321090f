import type { GcCount, GcItem, GcProgress, GcReason, GcReport } from '../../core/reports/gc-report.ts'
import { gcReasons } from '../../core/reports/gc-report.ts'
import { refuseWords } from '../args/values.ts'
import { type Command, type CommandContext, exitCodes, type Option } from '../command.ts'
import { createInterrupt, finishingStep } from '../interrupt.ts'
import { errorJson, exitCodeOf, toAppError } from '../output/error-text.ts'
import { createStatusLine } from '../output/status-line.ts'
import { columns, formatCount, formatSize, formatSpan, printable } from '../output/terminal-text.ts'

const options: readonly Option[] = [
  { name: 'dry-run', about: 'show what would be removed and why; change nothing' },
  { name: 'all', about: 'list everything removed, not just examples' },
  {
    name: 'retention',
    argument: 'LIMITS',
    setting: 'retention',
    about: 'forever, a duration (90d), or age=90d,versions=10,size=5GB (default: as configured)',
  },
]

export const command: Command = {
  name: 'gc',
  group: 'Archive',
  summary: 'remove versions beyond the retention limits, bodies no profile needs and unused records',
  usage: '',
  options,
  examples: [
    { line: 'erace gc --dry-run', about: 'what the configured retention would remove, and why' },
    { line: 'erace gc --retention versions=10', about: 'keep the ten newest versions of each document' },
    { line: 'erace gc --dry-run --all --json', about: 'the full list as JSON' },
  ],
  async prepare(context, errors) {
    refuseWords(context.positionals, 'gc takes no arguments', errors)
    return () => run(context)
  },
}

async function run(context: CommandContext): Promise<number> {
  const { target, engine, io, clock, json, quiet, options } = context
  const line = createStatusLine(io.stderr)
  const shows = io.stderr.isTTY === true && !quiet
  const interrupt = createInterrupt({ io, clock, onFirst: () => line.sink.write(finishingStep) })
  const list = options.flag('all') ? createList(json, (text) => void io.stdout.write(text)) : null
  try {
    const report = await engine
      .gc(
        { ...target, dryRun: options.flag('dry-run') },
        {
          signal: interrupt.signal,
          onProgress: (progress) => shows && line.draw(progressPieces(progress)),
          onItem: (item) => list?.add(item),
          onWarning: (message) => quiet || line.sink.write(`${printable(message, 300)}\n`),
        },
      )
      .finally(line.clear)
    if (json) io.stdout.write(list === null ? `${JSON.stringify(report)}\n` : list.end(report))
    else io.stdout.write(gcText(report, list === null))
    return report.finished ? exitCodes.done : exitCodes.interrupted
  } catch (thrown) {
    if (list === null || !json || !list.isStarted()) throw thrown
    // An object is already open on standard output: close it, so that the output stays one object.
    const error = toAppError(thrown)
    io.stdout.write(list.end(JSON.parse(errorJson(error))))
    return exitCodeOf(error)
  } finally {
    interrupt.dispose()
  }
}

/** Writes items as they come: they may not fit in memory. */
function createList(json: boolean, write: (text: string) => void) {
  let count = 0
  return {
    isStarted: () => count > 0,
    add(item: GcItem): void {
      if (json) write(`${count === 0 ? '{"items":[' : ',\n'}${JSON.stringify(item)}`)
      else write(`${itemLine(item)}\n`)
      count++
    },
    end: (report: object): string => `${count === 0 ? '{"items":[' : ''}],${JSON.stringify(report).slice(1)}\n`,
  }
}

function progressPieces(progress: GcProgress): string[] {
  switch (progress.kind) {
    case 'measuring':
      return ['measuring', `${formatCount(progress.looked)} versions`]
    case 'looking':
      return [
        `${formatCount(progress.looked)} versions checked`,
        `${formatCount(progress.going)} to remove`,
        formatSize(progress.bytes),
      ]
    case 'rewriting':
      return [`rewriting file ${progress.file + 1} of ${progress.files}`, `${formatSize(progress.freedBytes)} freed`]
  }
}

const reasonText: Record<GcReason, string> = {
  age: 'superseded for longer than the retention age',
  versions: 'more newer versions than the retention limit',
  size: 'oldest, over the retention size',
  unwanted: 'no profile needs it: body removed, metadata kept',
}

function itemLine({ action, url, n, reason, bytes }: GcItem): string {
  return `${action.padEnd(6)}  ${reason.padEnd(8)}  ${formatSize(bytes).padStart(8)}  ${printable(url, 200)}@${n}`
}

function gcText(report: GcReport, showsExamples: boolean): string {
  const { dryRun, removed, dropped, looked, seconds } = report
  const count = ({ versions, bytes }: GcCount): string => `${formatCount(versions)} (${formatSize(bytes)})`
  const lines = [
    `${dryRun ? 'would remove' : 'removed'} ${count(removed)} versions and ${count(dropped)} bodies, out of ${formatCount(looked)} versions`,
    ...reasonLines(report),
    ...keptLines(report),
  ]
  if (showsExamples && report.examples.length > 0) {
    const total = removed.versions + dropped.versions
    lines.push(
      total > report.examples.length ? `the first ones (use --all to list all ${formatCount(total)}):` : 'namely:',
    )
    lines.push(...report.examples.map((item) => `  ${itemLine(item)}`))
  }
  if (!dryRun) lines.push(...fileLines(report))
  if (!report.finished) lines.push('interrupted; run it again to continue')
  lines.push(`${dryRun ? 'nothing changed; ' : ''}${formatSpan(seconds)}`)
  return `${lines.join('\n')}\n`
}

function reasonLines({ reasons, sources }: GcReport): string[] {
  const rows = gcReasons
    .filter((reason) => reasons[reason].versions > 0)
    .map((reason) => [reasonText[reason], formatCount(reasons[reason].versions), formatSize(reasons[reason].bytes)])
  const bySource = sources.flatMap((entry) =>
    gcReasons
      .filter((reason) => entry[reason].versions > 0)
      .map((reason) => [
        `${entry.source === '*' ? 'all other sources' : printable(entry.source, 60)}: ${reason}`,
        formatCount(entry[reason].versions),
        formatSize(entry[reason].bytes),
      ]),
  )
  const showsSources = sources.some(({ source }) => source !== '*')
  return [...columns(rows), ...(showsSources ? ['by source:', ...columns(bySource)] : [])]
}

function keptLines({ kept, overflow }: GcReport): string[] {
  const why = {
    held: 'kept: not yet retrieved by a recipient',
    shared: 'kept: other versions share their bodies',
    damaged: 'kept: their records are unreadable (run erace verify)',
    changed: 'kept: became current or needed in the meantime',
  }
  const rows = (Object.keys(why) as (keyof typeof why)[])
    .filter((reason) => kept[reason] > 0)
    .map((reason) => [why[reason], formatCount(kept[reason])])
  const beyond = overflow.map(
    ({ source, bytes, maxBytes }) =>
      `  ${source === '*' ? 'all other sources' : printable(source, 60)}: ${formatSize(bytes)} must be kept, over the limit of ${formatSize(maxBytes)}`,
  )
  return [...columns(rows), ...beyond]
}

function fileLines({ files }: GcReport): string[] {
  const lines = [
    `archive files: ${formatCount(files.rewritten)} rewritten, ${formatCount(files.removed)} removed, ${formatSize(files.freedBytes)} freed`,
  ]
  for (const { file, message } of files.leftAlone)
    lines.push(`  not rewritten: ${printable(file, 100)}: ${printable(message, 300)}`)
  return lines
}
