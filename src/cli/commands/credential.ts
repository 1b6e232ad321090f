import { readTextFile } from '../../config/crawl-lists.ts'
import { InvalidInputError, type ValidationError } from '../../config/validation-errors.ts'
import { AppError } from '../../core/errors.ts'
import { type CredentialKind, credentialKinds } from '../../services/credentials/credential-kinds.ts'
import type { OwnedCredentials } from '../../services/credentials/operator-credentials.ts'
import { confirm } from '../args/confirm.ts'
import { choice, readOwner, refuseWords } from '../args/values.ts'
import { type Command, type CommandContext, exitCodes } from '../command.ts'
import { columns, momentText, printable } from '../output/terminal-text.ts'

const actions = ['add', 'list', 'remove'] as const
type Action = (typeof actions)[number]

/** The secret value of each kind, which is prompted for and never taken from the command line. */
const secretFields: Record<CredentialKind, string> = {
  password: 'password',
  bearer: 'token',
  header: 'value',
  cookie: 'cookie',
  steps: 'password',
}

/** Options for the other values. */
const openFields = [
  { option: 'user', field: 'user', kinds: ['password', 'steps'] },
  { option: 'header', field: 'name', kinds: ['header'] },
  { option: 'steps', field: 'steps', kinds: ['steps'] },
] as const

export const command: Command = {
  name: 'credential',
  group: 'Watch',
  summary: 'manage what sources are signed in to with',
  usage: 'add|list|remove [NAME]',
  options: [
    { name: 'kind', argument: 'KIND', about: `add: ${credentialKinds.join(', ')} (default: password)` },
    { name: 'user', argument: 'USER', about: 'add: the user name, for password and steps' },
    { name: 'header', argument: 'HEADER', about: 'add: the name of the header, for header' },
    { name: 'steps', argument: 'FILE', about: 'add: a file with the steps of a sign-in, one per line, for steps' },
    { name: 'owner', argument: 'EMAIL', about: 'whose they are, if there are several accounts; list: only theirs' },
    { name: 'yes', short: 'y', about: 'remove: do not ask for confirmation' },
  ],
  examples: [
    { line: 'erace credential add mailbox --user ada@example.org', about: 'prompts for the password' },
    {
      line: 'pass show shop/token | erace credential add shop --kind bearer',
      about: 'reads the token from a pipe; ERACE_SECRET=… gives it in the environment',
    },
    { line: 'erace credential list', about: 'names, what uses them, and since when a sign-in fails' },
    { line: 'erace credential remove mailbox', about: 'refused while a profile uses them' },
  ],
  async prepare(context, errors) {
    const { options, positionals } = context
    const [word, name, ...rest] = positionals
    const action = actions.find((each) => each === word) ?? null
    if (action === null)
      errors.push({ place: word?.slice(0, 60) ?? 'credential', message: `choose an action: ${actions.join(', ')}` })
    checkOptions(action, options, errors)
    const owner = readOwner(options, errors)
    if (action === 'list') refuseWords(positionals.slice(1), 'credential list takes options only', errors)
    if (action === null || action === 'list') return () => list(context, owner)
    refuseWords(rest, `credential ${action} takes one name`, errors)
    if (name === undefined) errors.push({ place: 'NAME', message: 'the name of the credentials is missing' })
    if (action === 'remove') return () => remove(context, { owner, name: name ?? '' })
    const kind = choice(options, 'kind', credentialKinds, errors) ?? 'password'
    const values = await readOpenValues(context, kind, errors)
    return () => add(context, { owner, name: name ?? '', kind, values })
  },
}

function checkOptions(action: Action | null, options: CommandContext['options'], errors: ValidationError[]): void {
  if (action === null) return
  for (const name of ['kind', 'user', 'header', 'steps'])
    if (options.text(name) !== undefined && action !== 'add')
      errors.push({ place: `--${name}`, message: 'only valid with add' })
  if (options.flag('yes') && action !== 'remove') errors.push({ place: '--yes', message: 'only valid with remove' })
}

type Values = Record<string, string>

async function readOpenValues(
  context: CommandContext,
  kind: CredentialKind,
  errors: ValidationError[],
): Promise<Values> {
  const { options, cwd } = context
  const values: Values = {}
  for (const { option, field, kinds } of openFields) {
    const given = options.text(option)
    if (given === undefined) continue
    if (!kinds.some((each) => each === kind)) {
      errors.push({ place: `--${option}`, message: `only valid with --kind ${kinds.join(' or ')}` })
      continue
    }
    const text = option === 'steps' ? await readTextFile(given, { cwd, place: '--steps', errors }) : given
    if (text !== null) values[field] = text.replace(/\r\n/g, '\n').replace(/\n+$/, '')
  }
  return values
}

type NewCredentials = { owner: string | null; name: string; kind: CredentialKind; values: Values }

async function add(context: CommandContext, { values, ...draft }: NewCredentials): Promise<number> {
  const { engine, target, io, json, quiet } = context
  const field = secretFields[draft.kind]
  const secret = await readSecret(context, field, draft.kind === 'steps' && values.user === undefined)
  if (secret === null) return exitCodes.interrupted
  const all = secret === '' ? values : { ...values, [field]: secret }
  const added = await engine.addCredentials(target, { ...draft, values: all }).catch(throwAsUsage)
  if (json) io.stdout.write(`${JSON.stringify({ credentials: answerOf(added) })}\n`)
  else io.stdout.write(`added ${shown(added)}\n`)
  if (!json && !quiet) io.stderr.write('name them in the sources of your profiles: "credentials": …\n')
  return exitCodes.done
}

const MAX_PIPED_BYTES = 20_000

/** From `ERACE_SECRET`, a prompt or a pipe: never from the command line, which others can read. Null if cancelled. */
async function readSecret(
  { env, io }: Pick<CommandContext, 'env' | 'io'>,
  field: string,
  isOptional: boolean,
): Promise<string | null> {
  const given = env.ERACE_SECRET ?? ''
  if (given !== '') return given
  if (isOptional) return ''
  const text = io.prompt.isThere
    ? await io.prompt.ask(`${field}: `, { secret: true })
    : (await io.prompt.piped(MAX_PIPED_BYTES)).replace(/\r?\n$/, '')
  if (text === '') throw new AppError('usage-wrong', `no ${field} given: set ERACE_SECRET or pipe it in`)
  return text
}

/** Reports invalid input under the names of the options. */
function throwAsUsage(error: unknown): never {
  if (!(error instanceof InvalidInputError) || error.code !== 'request-invalid') throw error
  throw new InvalidInputError(
    'usage-wrong',
    error.errors.map(({ place, message }) => ({ place: optionOf(place), message })),
  )
}

function optionOf(place: string): string {
  const field = place.replace(/^values\./, '')
  const option = openFields.find((each) => each.field === field && place !== 'name')?.option
  return option === undefined ? (place === 'name' ? 'NAME' : field) : `--${option}`
}

async function list(context: CommandContext, owner: string | null): Promise<number> {
  const { engine, target, io, json, quiet } = context
  const found = await engine.listCredentials(target, owner)
  if (json) io.stdout.write(`${JSON.stringify({ credentials: found.map(answerOf) })}\n`)
  else if (found.length > 0) io.stdout.write(`${columns(found.map(rowOf), '').join('\n')}\n`)
  else if (!quiet) io.stderr.write('no credentials yet\n')
  return exitCodes.done
}

function rowOf(of: OwnedCredentials): string[] {
  const { name, kind, hint, owner, profiles } = of
  const used = profiles.length === 0 ? 'not used' : profiles.length === 1 ? '1 profile' : `${profiles.length} profiles`
  return [printable(name, 40), kind, printable(hint, 40), printable(owner, 60), used, remarks(of)]
}

function remarks({ problem, failedSince, failure, usedAt }: OwnedCredentials): string {
  if (problem !== '') return printable(problem, 200)
  if (failedSince > 0) return `sign-in failed since ${momentText(timeOf(failedSince))}: ${printable(failure, 200)}`
  return usedAt > 0 ? `last used ${momentText(timeOf(usedAt))}` : ''
}

async function remove(context: CommandContext, which: { owner: string | null; name: string }): Promise<number> {
  const { engine, target, io, json } = context
  const refused = await confirm(context, `Remove the credentials ${printable(which.name, 100)}?`)
  if (refused !== null) return refused
  const removed = await engine.removeCredentials(target, which)
  if (json) io.stdout.write(`${JSON.stringify({ credentials: answerOf(removed) })}\n`)
  else io.stdout.write(`removed ${shown(removed)}\n`)
  return exitCodes.done
}

function shown({ name, kind, owner }: OwnedCredentials): string {
  return `${printable(name, 100)} (${kind}) of ${printable(owner, 254)}`
}

const timeOf = (ms: number): string => new Date(ms).toISOString()
/** 0 means never. */
const maybeTimeOf = (ms: number): string | null => (ms === 0 ? null : timeOf(ms))

/** As in the API, plus the owner. */
function answerOf(of: OwnedCredentials) {
  const {
    id,
    owner,
    name,
    kind,
    hint,
    createdAt,
    changedAt,
    usedAt,
    failedSince,
    failure,
    retryAt,
    problem,
    profiles,
  } = of
  return {
    ...{ id, owner, name, kind, hint, createdAt: timeOf(createdAt), changedAt: timeOf(changedAt) },
    ...{ usedAt: maybeTimeOf(usedAt), failedSince: maybeTimeOf(failedSince), failure, retryAt: maybeTimeOf(retryAt) },
    ...{ problem, profiles },
  }
}
