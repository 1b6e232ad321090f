import { resolve } from 'node:path'
import type { ValidationError } from '../../config/validation-errors.ts'
import { type Command, type CommandContext, exitCodes, type Option } from '../command.ts'
import type { SchemaReport } from '../engine.ts'
import { printable } from '../output/terminal-text.ts'
import { importFolder } from './migrate-import.ts'

const options: readonly Option[] = [
  { name: 'dry-run', about: 'show the steps of the schema and change nothing' },
  { name: 'citus', about: 'spread the tables of the crawl over the servers of a Citus cluster' },
  { name: 'from', argument: 'DIR', about: 'move a data folder up, with everything in it; nobody may use it meanwhile' },
  { name: 'to', argument: 'URL', about: 'where to: postgres://… (or the one of --store)' },
]

export const command: Command = {
  name: 'migrate',
  group: 'Cluster',
  summary: 'show the schema of a shared store and apply what is missing; move a data folder up into one',
  usage: '',
  options,
  examples: [
    { line: 'erace migrate --store postgres://erace@db/erace', about: 'what is there, and what was missing' },
    { line: 'erace migrate --dry-run', about: 'only look' },
    { line: 'erace migrate --citus', about: 'where one server is not enough; may be repeated' },
    {
      line: 'erace migrate --from ./erace-data --to postgres://erace@db/erace',
      about: 'an interrupted move goes on when the same line is given again',
    },
  ],
  async prepare(context, errors) {
    const { positionals, options, target, cwd } = context
    for (const word of positionals) errors.push({ place: word.slice(0, 60), message: 'migrate takes no arguments' })
    const from = options.text('from')
    const to = options.text('to') ?? target.store
    if (from === undefined) {
      checkSchemaOptions(context, errors)
      return () => migrate(context)
    }
    checkImportOptions(context, from, to, errors)
    return () => importFolder(context, resolve(cwd, from), to ?? '')
  },
}

function checkSchemaOptions({ options, target }: CommandContext, errors: ValidationError[]): void {
  if (options.text('to') !== undefined)
    errors.push({ place: '--to', message: 'needs --from DIR: the data folder that is moved' })
  else if (target.store === null && errors.every((fault) => fault.place !== '--store' && fault.place !== 'ERACE_STORE'))
    errors.push({
      place: '--store',
      message: 'migrate needs the address of the shared store, postgres://… (or ERACE_STORE)',
    })
}

function checkImportOptions(
  { options }: CommandContext,
  from: string,
  to: string | null,
  errors: ValidationError[],
): void {
  if (from === '') errors.push({ place: '--from', message: 'needs the name of a data folder' })
  if (to === null) errors.push({ place: '--to', message: 'needs the address of the shared store, postgres://…' })
  else if (!/^postgres(?:ql)?:\/\/./.test(to))
    errors.push({
      place: '--to',
      message: 'must be the address of a PostgreSQL database: postgres://USER:PASSWORD@HOST/DATABASE',
    })
  for (const name of ['dry-run', 'citus'])
    if (options.flag(name)) errors.push({ place: `--${name}`, message: 'does not go with --from' })
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
  if (missing > 0) lines.push(`${missing} missing: erace migrate applies them`)
  else
    lines.push(
      applied.length === 0 ? 'the schema is up to date' : `the schema is up to date: ${applied.length} applied`,
    )
  if (distributed !== null)
    lines.push(
      distributed.length === 0
        ? 'the tables of the crawl were spread already'
        : `spread by their partition: ${distributed.map((name) => printable(name)).join(', ')}`,
    )
  return `${lines.join('\n')}\n`
}
