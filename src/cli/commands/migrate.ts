import { resolve } from 'node:path'
import type { ValidationError } from '../../config/validation-errors.ts'
import type { ImportProgress, ImportReport } from '../../core/reports/import-report.ts'
import type { MoveProgress, MoveReport } from '../../core/reports/move-report.ts'
import { refuseWords } from '../args/values.ts'
import { type Command, type CommandContext, exitCodes, needsStore, type Option, storeExpected } from '../command.ts'
import type { SchemaReport } from '../engine.ts'
import { finishingStep, interruptible } from '../interrupt.ts'
import { columns, formatCount, formatSize, formatSpan, printable } from '../output/terminal-text.ts'

const options: readonly Option[] = [
  { name: 'dry-run', about: 'show the schema migrations; change nothing' },
  { name: 'citus', about: 'distribute the crawl tables over the servers of a Citus cluster' },
  { name: 'objects', about: 'move all bodies to where `objects.store` wants them; others may work meanwhile' },
  { name: 'from', argument: 'DIR', about: 'import a data folder with everything in it; stop using it first' },
  { name: 'to', argument: 'URL', about: 'shared store to import into, postgres://… (default: --store)' },
]

export const command: Command = {
  name: 'migrate',
  group: 'Cluster',
  summary: 'show and apply schema migrations of a shared store, or import a data folder into one',
  usage: '',
  options,
  examples: [
    { line: 'erace migrate --store postgres://erace@db/erace', about: 'apply missing migrations and list them all' },
    { line: 'erace migrate --dry-run', about: 'only show them' },
    { line: 'erace migrate --citus', about: 'when one server is not enough; safe to repeat' },
    { line: 'erace migrate --objects', about: 'after objects.store was changed; run it again to continue' },
    {
      line: 'erace migrate --from ./erace-data --to postgres://erace@db/erace',
      about: 'run the same command again to continue an interrupted import',
    },
  ],
  async prepare(context, errors) {
    const { positionals, options, target, cwd } = context
    refuseWords(positionals, 'migrate takes no arguments', errors)
    const from = options.text('from')
    const to = options.text('to') ?? target.store
    if (from === undefined) {
      checkSchemaOptions(context, errors)
      return () => (options.flag('objects') ? moveObjects(context) : migrate(context))
    }
    checkImportOptions(context, to, errors)
    return () => importFolder(context, resolve(cwd, from), to ?? '')
  },
}

function checkSchemaOptions({ options, target }: CommandContext, errors: ValidationError[]): void {
  if (options.flag('objects'))
    for (const name of ['dry-run', 'citus'])
      if (options.flag(name)) errors.push({ place: `--${name}`, message: "can't be combined with --objects" })
  // Without its value, --from is an error already.
  if (errors.some(({ place }) => place === '--from')) return
  if (options.text('to') !== undefined)
    errors.push({ place: '--to', message: 'needs --from DIR, the data folder to import' })
  else if (target.store === null && errors.every(({ place }) => place !== '--store' && place !== 'ERACE_STORE'))
    errors.push({ place: '--store', message: needsStore('migrate') })
}

function checkImportOptions({ options }: CommandContext, to: string | null, errors: ValidationError[]): void {
  if (to === null) errors.push({ place: '--to', message: 'needs the address of the shared store, postgres://…' })
  else if (!/^postgres(?:ql)?:\/\/./.test(to)) errors.push({ place: '--to', message: storeExpected })
  for (const name of ['dry-run', 'citus', 'objects'])
    if (options.flag(name)) errors.push({ place: `--${name}`, message: "can't be combined with --from" })
}

async function migrate({ engine, target, options, io, json }: CommandContext): Promise<number> {
  const before = await engine.schema(target)
  const changes = !options.flag('dry-run')
  const applied = changes ? await engine.migrate(target) : []
  const distributed = changes && options.flag('citus') ? await engine.distribute(target) : null
  const after = changes ? await engine.schema(target) : before
  if (json) io.stdout.write(`${JSON.stringify({ ...after, applied, ...(distributed !== null && { distributed }) })}\n`)
  else io.stdout.write(schemaText(after, applied, distributed))
  return exitCodes.done
}

function schemaText(
  { steps, server, citus }: SchemaReport,
  applied: readonly number[],
  distributed: string[] | null,
): string {
  const lines = [`${printable(server)}${citus ? ' with Citus' : ''}`]
  const width = Math.max(0, ...steps.map(({ name }) => name.length))
  for (const { id, name, appliedAt } of steps) {
    const state = applied.includes(id) ? 'applied now' : appliedAt === null ? 'missing' : `applied ${appliedAt}`
    lines.push(`  ${String(id).padStart(3)}  ${printable(name, 200).padEnd(width)}  ${state}`)
  }
  const missing = steps.filter(({ appliedAt }) => appliedAt === null).length
  if (missing > 0) lines.push(`${missing} missing: run erace migrate to apply them`)
  else
    lines.push(
      applied.length === 0 ? 'the schema is up to date' : `the schema is up to date, ${applied.length} applied`,
    )
  if (distributed !== null)
    lines.push(
      distributed.length === 0
        ? 'the crawl tables were already distributed'
        : `distributed by partition: ${distributed.map((name) => printable(name)).join(', ')}`,
    )
  return `${lines.join('\n')}\n`
}

const MAX_DIFFERENCES = 20
const canContinue = 'nothing is lost; run the same command to continue'

/** `migrate --from DIR --to postgres://…`: one line for each finished kind, and a table at the end. */
function importFolder(context: CommandContext, folder: string, store: string): Promise<number> {
  const { engine, target, io, json, quiet } = context
  const work: Parameters<typeof interruptible>[2] = async ({ signal, line }) => {
    const progress = createProgress((pieces) => io.stderr.isTTY === true && line.draw(pieces), line.sink.write)
    const onProgress = (step: ImportProgress) => quiet || progress.note(step)
    const report = await engine.importFolder(folder, store, { signal, onProgress }, target.config)
    if (!quiet && !report.interrupted) progress.end()
    line.clear()
    io.stdout.write(json ? `${JSON.stringify(report)}\n` : importText(report))
    if (report.interrupted) io.stderr.write(`interrupted: ${canContinue}\n`)
    return report.interrupted ? exitCodes.interrupted : report.faults.length > 0 ? exitCodes.failed : exitCodes.done
  }
  return interruptible(context, canContinue, work, finishingStep)
}

/** `migrate --objects` */
function moveObjects(context: CommandContext): Promise<number> {
  const { engine, target, io, json, quiet } = context
  const work: Parameters<typeof interruptible>[2] = async ({ signal, line }) => {
    const onProgress = ({ partition, partitions, records, bytes }: MoveProgress): void => {
      const share = `${Math.floor(((partition + 1) / partitions) * 100)} %`
      if (!quiet && io.stderr.isTTY === true)
        line.draw(['moving bodies', share, `${formatCount(records)} moved, ${formatSize(bytes)}`])
    }
    const report = await engine.moveObjects(target, { signal, onProgress })
    line.clear()
    io.stdout.write(json ? `${JSON.stringify(report)}\n` : moveText(report))
    if (report.interrupted) io.stderr.write(`interrupted: ${canContinue}\n`)
    return report.interrupted ? exitCodes.interrupted : report.left > 0 ? exitCodes.failed : exitCodes.done
  }
  return interruptible(context, canContinue, work, finishingStep)
}

const placeNames = { postgres: 'the database', folder: 'the shared folder', s3: 'the bucket' } as const

function moveText({ to, records, bytes, left }: MoveReport): string {
  const lines = [`${formatCount(records)} bodies moved to ${placeNames[to]}, ${formatSize(bytes)}`]
  if (left > 0) lines.push(`${formatCount(left)} can't be read and stay where they are; erace verify lists them`)
  return `${lines.join('\n')}\n`
}

/** The current kind is drawn on the status line; finished ones stay as lines. */
function createProgress(draw: (pieces: string[]) => void, write: (text: string) => unknown) {
  let last: ImportProgress | null = null
  function end(): void {
    if (last !== null) write(`${printable(last.what)}: ${formatCount(last.done)} of ${formatCount(last.total)}\n`)
    last = null
  }
  return {
    note(step: ImportProgress): void {
      if (last !== null && last.what !== step.what) end()
      last = step
      const share = step.total === 0 ? 100 : Math.min(100, Math.floor((step.done / step.total) * 100))
      draw([printable(step.what), `${share} %`, `${formatCount(step.done)} of ${formatCount(step.total)}`])
    },
    end,
  }
}

function importText({ counts, bodiesChecked, bytes, seconds, faults, interrupted }: ImportReport): string {
  const state = interrupted ? 'interrupted' : faults.length > 0 ? 'import differs' : 'import complete'
  const rows = counts.map(({ what, here, there }) => [
    printable(what),
    formatCount(here),
    formatCount(there),
    !interrupted && here !== there ? 'differs' : '',
  ])
  const lines = [
    `${state} (${formatSpan(seconds)})`,
    ...columns([['', 'folder', 'store', ''], ...rows]),
    `  ${formatCount(bodiesChecked)} bodies verified by digest, ${formatSize(bytes)} copied`,
  ]
  if (faults.length > 0) {
    lines.push('', 'Differences')
    for (const difference of faults.slice(0, MAX_DIFFERENCES)) lines.push(`  ${printable(difference, 300)}`)
    if (faults.length > MAX_DIFFERENCES) lines.push(`  and ${formatCount(faults.length - MAX_DIFFERENCES)} more`)
  }
  return `${lines.join('\n')}\n`
}
